// SPDX-License-Identifier: Apache-2.0
// A TermSink that also takes sentences: which decisions led to an element, as the branches of a tree, in their order.
#pragma once

#include <string>

#include "exact/term_sink.h"

namespace opref::exact {

class SentenceSink : public TermSink {
 public:
  virtual void decides(const std::string& sentence) = 0;
  /// The sink itself, if it takes them; else null.
  static SentenceSink* of(TermSink* sink) { return dynamic_cast<SentenceSink*>(sink); }
};

}  // namespace opref::exact
