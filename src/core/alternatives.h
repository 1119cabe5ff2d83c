// SPDX-License-Identifier: Apache-2.0
// A variant whose copying and destruction are compiled once, not in each file that copies one.
#pragma once

#include <utility>
#include <variant>

#include "core/rooms.h"

namespace opref::core {

/// The header that names one declares `extern template struct Alternatives<…>`, one source file instantiates it.
template <class... T>
struct Alternatives : std::variant<T...> {
  using Base = std::variant<T...>;
  using Base::Base;
  using Base::operator=;
  Alternatives();
  Alternatives(const Alternatives& other);
  Alternatives(Alternatives&& other) noexcept;
  Alternatives& operator=(const Alternatives& other);
  Alternatives& operator=(Alternatives&& other) noexcept;
  ~Alternatives();
};

template <class... T>
Alternatives<T...>::Alternatives() = default;
template <class... T>
Alternatives<T...>::Alternatives(const Alternatives& other) = default;
template <class... T>
Alternatives<T...>::Alternatives(Alternatives&& other) noexcept = default;
template <class... T>
Alternatives<T...>& Alternatives<T...>::operator=(const Alternatives& other) = default;
template <class... T>
Alternatives<T...>& Alternatives<T...>::operator=(Alternatives&& other) noexcept = default;
template <class... T>
Alternatives<T...>::~Alternatives() = default;

}  // namespace opref::core
