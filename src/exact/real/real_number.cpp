// SPDX-License-Identifier: Apache-2.0
#include "exact/real/real_number.h"

#include <cmath>
#include <cstdio>
#include <memory>

#include "exact/decimal.h"
#include "exact/mpfr.h"

namespace opref::exact {

RealNumber::RealNumber(double value) {
  MpfrThread::prepare();
  mpfr_init2(value_, kPrecision);
  mpfr_set_d(value_, value, MPFR_RNDN);
}
RealNumber::RealNumber(const MpfrNumber* value) : RealNumber() { mpfr_set(value_, value, MPFR_RNDN); }
RealNumber::RealNumber(const RealNumber& other) : RealNumber(other.value_) {}
RealNumber& RealNumber::operator=(const RealNumber& other) {
  mpfr_set(value_, other.value_, MPFR_RNDN);
  return *this;
}
RealNumber::~RealNumber() { mpfr_clear(value_); }

bool RealNumber::is_finite() const { return mpfr_number_p(value_) != 0; }
bool RealNumber::is_nan() const { return mpfr_nan_p(value_) != 0; }
int RealNumber::sign() const { return is_nan() ? 0 : mpfr_sgn(value_); }
double RealNumber::nearest_double() const { return mpfr_get_d(value_, MPFR_RNDN); }

RealNumber& RealNumber::operator+=(const RealNumber& other) {
  mpfr_add(value_, value_, other.value_, MPFR_RNDN);
  return *this;
}
RealNumber operator-(const RealNumber& a, const RealNumber& b) {
  RealNumber y;
  mpfr_sub(y.value_, a.value_, b.value_, MPFR_RNDN);
  return y;
}
RealNumber operator*(const RealNumber& a, const RealNumber& b) {
  RealNumber y;
  mpfr_mul(y.value_, a.value_, b.value_, MPFR_RNDN);
  return y;
}
RealNumber operator/(const RealNumber& a, const RealNumber& b) {
  RealNumber y;
  mpfr_div(y.value_, a.value_, b.value_, MPFR_RNDN);
  return y;
}
RealNumber power(const RealNumber& a, const RealNumber& b) {
  RealNumber y;
  mpfr_pow(y.value_, a.value_, b.value_, MPFR_RNDN);
  return y;
}
RealNumber root(const RealNumber& a, double p) {
  if (p != std::floor(p) || p > 0x1p53) return power(a, RealNumber(1.0) / RealNumber(p));
  RealNumber y;
  mpfr_rootn_ui(y.value_, a.value_, static_cast<unsigned long>(p), MPFR_RNDN);
  return y;
}
RealNumber magnitude(const RealNumber& a) {
  RealNumber y;
  mpfr_abs(y.value_, a.value_, MPFR_RNDN);
  return y;
}

std::string to_text(const RealNumber& number, int digits) {
  if (number.is_nan()) return "NaN";
  const std::string sign = mpfr_signbit(number.value_) != 0 ? "-" : "";
  if (!number.is_finite()) return sign + "Inf";
  if (mpfr_zero_p(number.value_) != 0) return sign + "0";
  mpfr_exp_t exponent = 0;
  const std::unique_ptr<char, void (*)(char*)> text(
      mpfr_get_str(nullptr, &exponent, 10, static_cast<size_t>(digits), number.value_, MPFR_RNDZ), mpfr_free_str);
  const std::string all = text.get() + sign.size();
  const RealNumber shown = [&] {
    RealNumber y;
    mpfr_set_str(y.value_, (sign + "0." + all + "e" + std::to_string(exponent)).c_str(), 10, MPFR_RNDN);
    return y;
  }();
  const size_t last = all.find_last_not_of('0');
  const Decimal decimal{all.substr(0, last + 1), static_cast<int>(exponent) - 1};
  const bool is_all = mpfr_equal_p(shown.value_, number.value_) != 0, is_plain = exponent > -5 && exponent < 22;
  if (is_all) return sign + (is_plain ? decimal.fixed() : decimal.scientific());
  const Decimal cut{all, decimal.exponent};
  if (is_plain) return sign + cut.fixed() + "…";
  const std::string scientific = cut.scientific();
  const size_t e = scientific.find('e');
  return sign + scientific.substr(0, e) + "…" + scientific.substr(e);
}

std::string hex_text(const RealNumber& number) {
  char* text = nullptr;
  if (number.is_finite() && mpfr_cmp_d(number.value_, number.nearest_double()) == 0) {
    char plain[32];  // which begins with 1
    std::snprintf(plain, sizeof plain, "%a", number.nearest_double());
    return plain;
  }
  if (mpfr_asprintf(&text, "%Ra", number.value_) < 0) return "";
  const std::unique_ptr<char, void (*)(char*)> owned(text, mpfr_free_str);
  return text;
}

}  // namespace opref::exact
