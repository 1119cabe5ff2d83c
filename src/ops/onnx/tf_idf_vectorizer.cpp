// SPDX-License-Identifier: Apache-2.0
// ai.onnx TfIdfVectorizer, version 9
// https://onnx.ai/onnx/operators/onnx__TfIdfVectorizer.html
#include <algorithm>
#include <map>

#include "core/error.h"
#include "families/sum.h"
#include "schema/operator.h"

namespace opref::ops::onnx {
namespace {

using Integers = std::vector<std::int64_t>;

/// "only one of pool_strings and pool_int64s can be set", the one of X's kind.
std::string_view pool_name(const Call& call) {
  const bool takes_strings = call.type("X").dtype == DType::string;
  const std::string_view own = takes_strings ? "pool_strings" : "pool_int64s",
                         other = takes_strings ? "pool_int64s" : "pool_strings";
  require(call.has(own) && !call.has(other), "X is {}, so {} has to be given, and {} cannot be", call.type("X").dtype,
          own, other);
  return own;
}

/// Where the n-grams of each length begin in the pool, and the end of the pool.
Integers begins(const Call& call, std::int64_t pool_size) {
  Integers begins = call.integers("ngram_counts");
  begins.push_back(pool_size);
  for (size_t n = 1; n < begins.size(); ++n) {
    const std::int64_t begin = begins[n - 1], size = begins[n] - begin;
    require(begin >= 0 && begin <= pool_size, "ngram_counts[{}] is {}, but must be from 0 to {}", n - 1, begin,
            pool_size);
    require(size >= 0, "ngram_counts[{}] is {}, but ngram_counts[{}] before it {}", n, begins[n], n - 1, begin);
    require(size % static_cast<std::int64_t>(n) == 0, "the pool has {} for {}-grams, which is no multiple of {}",
            counted(size, "item"), n, n);
  }
  return begins;
}

std::int64_t pool_size(const Call& call) {
  return pool_name(call) == "pool_strings" ? std::ssize(call.strings("pool_strings"))
                                           : std::ssize(call.integers("pool_int64s"));
}

/// X is [C] or [N, C], Y [max(ngram_indexes) + 1] or that of each row.
std::vector<ValueType> output_types(const Call& call) {
  const Dims& X = call.type("X").shape;
  require(X.size() == 1 || X.size() == 2, "X has shape {}, but must be [C] or [N,C]", X);
  const Integers starts = begins(call, pool_size(call)), indexes = call.integers("ngram_indexes");
  std::int64_t ngrams = 0;
  for (size_t n = 1; n < starts.size(); ++n) ngrams += (starts[n] - starts[n - 1]) / static_cast<std::int64_t>(n);
  require(std::ssize(indexes) == ngrams, "ngram_indexes has {}, but the pool {}", counted(std::ssize(indexes), "value"),
          counted(ngrams, "n-gram"));
  require(!indexes.empty(), "the pool has no n-grams, but the size of Y follows from them");
  if (call.has("weights"))
    require(call.numbers("weights").size() == indexes.size(), "weights has {}, but ngram_indexes {}",
            counted(std::ssize(call.numbers("weights")), "value"), indexes.size());
  const std::int64_t least = call.integer("min_gram_length"), most = call.integer("max_gram_length");
  require(least <= most, "min_gram_length is {}, but max_gram_length {}", least, most);
  require(most <= std::ssize(starts) - 1, "max_gram_length is {}, but ngram_counts has {}", most,
          counted(std::ssize(starts) - 1, "value"));
  return {TensorType{DType::float32, join(X.first(X.size() - 1), {checked_add(std::ranges::max(indexes), 1)})}};
}

/// The items of X or the pool, equal ones by equal numbers.
struct Items {
  std::map<std::string, std::int64_t, std::less<>> numbers;
  std::int64_t number(const std::string& item) {
    return numbers.emplace(item, static_cast<std::int64_t>(numbers.size())).first->second;
  }
};
struct Numbered {
  Integers X, pool;
};
Numbered numbered(const Call& call) {
  const Tensor& X = call.input("X");
  Numbered result;
  if (X.dtype() == DType::string) {
    Items items;
    for (const std::string& item : call.strings("pool_strings")) result.pool.push_back(items.number(item));
    for (const std::string& item : X.strings()) result.X.push_back(items.number(item));
    return result;
  }
  result.pool = call.integers("pool_int64s");
  const Elements elements(X);
  for (std::int64_t i = 0; i < X.count(); ++i) result.X.push_back(elements.integer(i));
  return result;
}

// Of each row x, n from min_gram_length to max_gram_length and each stride from 1 to max_skip_count + 1 (of 1-grams:
// 1), the n-gram (x[i], x[i + stride], …, x[i + (n-1)·stride]) is found at each i where it ends in the row.
// Y[ngram_indexes[g]] = how often n-gram g is found (TF), weights[g] if it is (IDF), their product (TFIDF)
struct Found {
  std::vector<double> counts;
  Integers ngrams, ends;  ///< of the counts; where those of each position of Y end
};
Found find_all(const Call& call, std::int64_t columns) {
  const auto [X, pool] = numbered(call);
  const Integers starts = begins(call, std::ssize(pool)), indexes = call.integers("ngram_indexes");
  const auto least = static_cast<size_t>(call.integer("min_gram_length")),
             most = static_cast<size_t>(call.integer("max_gram_length"));
  const std::int64_t strides = call.integer("max_skip_count") + 1;
  std::map<Integers, Integers> ngrams;  // its places in ngram_indexes
  for (size_t n = 1, g = 0; n < starts.size(); ++n)
    for (std::int64_t at = starts[n - 1]; at < starts[n]; at += static_cast<std::int64_t>(n), ++g)
      if (n >= least && n <= most)
        ngrams[Integers(pool.begin() + at, pool.begin() + at + static_cast<std::ptrdiff_t>(n))].push_back(
            static_cast<std::int64_t>(g));
  const std::int64_t C = call.type("X").shape[call.type("X").rank() - 1],
                     rows = element_count(call.type("X").shape) == 0
                                ? (call.type("X").rank() == 2 ? call.type("X").shape[0] : 1)
                                : element_count(call.type("X").shape) / C;
  Found found;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::map<std::int64_t, std::map<std::int64_t, double>> counts;  // of a column, of an n-gram
    for (size_t n = least; n <= most; ++n)
      for (std::int64_t stride = 1; stride <= (n == 1 ? 1 : strides); ++stride) {
        const std::int64_t reach = static_cast<std::int64_t>(n - 1) * stride;
        if (reach >= C) break;
        for (std::int64_t i = 0; i + reach < C; ++i) {
          Integers ngram;
          for (std::int64_t k = 0; k <= reach; k += stride) ngram.push_back(X[static_cast<size_t>(row * C + i + k)]);
          if (const auto known = ngrams.find(ngram); known != ngrams.end())
            for (const std::int64_t g : known->second) counts[indexes[static_cast<size_t>(g)]][g] += 1;
        }
      }
    for (std::int64_t column = 0; column < columns; ++column) {
      if (const auto own = counts.find(column); own != counts.end())
        for (const auto& [g, count] : own->second) found.counts.push_back(count), found.ngrams.push_back(g);
      found.ends.push_back(std::ssize(found.counts));
    }
  }
  return found;
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const TensorType& Y = outs[0].type();
  Found found = find_all(call, Y.shape[Y.rank() - 1]);
  const std::string& mode = call.string("mode");
  if (mode == "IDF") std::ranges::fill(found.counts, 1.0);
  std::vector<float> given(call.integers("ngram_indexes").size(), 1.0F);
  if (mode != "TF" && call.has("weights")) given = call.numbers("weights");
  const auto count = Tensor::of<double>(DType::float64, {std::ssize(found.counts)}, found.counts);
  const auto weights = Tensor::of<float>(DType::float32, {std::ssize(given)}, given);
  const Elements counts(count), weight(weights);
  return {families::sum(outs[0], DType::float64, [&](std::int64_t i, auto& sum) {
    const auto at = static_cast<size_t>(i);
    for (std::int64_t k = i == 0 ? 0 : found.ends[at - 1]; k < found.ends[at]; ++k)
      sum.add(counts[k], weight[found.ngrams[static_cast<size_t>(k)]]);
  })};
}

void version_9(OpSchema& s) {
  s.input("X", "T").output("Y", "T1").types("T", {DType::string, DType::int32, DType::int64});
  s.types("T1", DType::float32);
  s.attribute(required(INT, "max_gram_length", at_least(1)))
      .attribute(required(INT, "max_skip_count", between(0, 0x7fffffff)));
  s.attribute(required(INT, "min_gram_length", at_least(1)));
  s.attribute(required(STRING, "mode", one_of({"TF", "IDF", "TFIDF"}))).attribute(required(INTS, "ngram_counts"));
  s.attribute(required(INTS, "ngram_indexes", at_least(0))).attribute(optional(INTS, "pool_int64s"));
  s.attribute(optional(STRINGS, "pool_strings")).attribute(optional(FLOATS, "weights"));
}

}  // namespace

Operator tf_idf_vectorizer() {
  return Operator("ai.onnx", "TfIdfVectorizer")
      .summary("how often known n-grams are found in each row, weighted")
      .version(9, version_9)
      .output_types(output_types)
      .kernel(kernel)
      .short_names({{"min_gram_length", "n"},
                    {"max_gram_length", "to"},
                    {"max_skip_count", "skip"},
                    {"ngram_counts", ""},
                    {"ngram_indexes", ""},
                    {"pool_int64s", ""},
                    {"pool_strings", ""},
                    {"weights", "weights"}});
}

}  // namespace opref::ops::onnx
