// Where the terms of output elements can go instead of becoming the output's values: the accumulators of `--bound` and
// of the known mistakes see every formula through this interface, instantiated once.
#pragma once

#include <cstdint>

namespace opref {

/// What follows a p-norm's sum: y = (scale · Σ|x|^p)^(1/p), where scale is 1, or scale_to / (number of terms).
struct PowerSum {
  double p;
  std::int64_t scale_to = 0;  ///< 0: no scale
};

/// Takes the terms of one element after another, in the order in which the definition adds them. A kernel that has no
/// terms (data movement) calls nothing.
class TermSink {
 public:
  TermSink() = default;
  TermSink(const TermSink&) = delete;
  TermSink& operator=(const TermSink&) = delete;
  virtual ~TermSink() = default;

  /// Before all elements: they are p-norms of their terms, which are the x themselves; else they are sums.
  virtual void norms(const PowerSum& finish) = 0;
  /// The terms up to `end` belong to the element at flat position `index` of the output.
  virtual void begin(std::int64_t index) = 0;
  virtual void add(double x) = 0;
  virtual void add(double a, double b) = 0;  ///< the product
  virtual void end() = 0;
};

/// Elements given as a callable `at(sum)` that adds its terms, passed on to a sink. Integers are rounded to double.
class SinkResults {
 public:
  explicit SinkResults(TermSink& sink) : adder_{sink} {}
  template <class At>
  void operator()(std::int64_t index, const At& at) {
    adder_.sink.begin(index);
    at(adder_);
    adder_.sink.end();
  }

 private:
  struct Adder {
    TermSink& sink;
    template <class X>
    void add(X x) {
      sink.add(static_cast<double>(x));
    }
    template <class X>
    void add(X a, X b) {
      sink.add(static_cast<double>(a), static_cast<double>(b));
    }
  } adder_;
};

}  // namespace opref
