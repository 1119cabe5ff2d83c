// SPDX-License-Identifier: Apache-2.0
// ai.onnx TfIdfVectorizer, version 9
// https://onnx.ai/onnx/operators/onnx__TfIdfVectorizer.html
#include <deque>
#include <unordered_map>

#include "evaluators/stretches.h"
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_tf_idf_vectorizer {
namespace {
using Integers = std::vector<std::int64_t>;

/// "only one of pool_strings and pool_int64s can be set", the one of X's kind.
std::int64_t pool_size(const Call& call) {
  const bool is_text = call.type("X").dtype == DType::string;
  const auto [own, other] =
      is_text ? std::pair("pool_strings", "pool_int64s") : std::pair("pool_int64s", "pool_strings");
  require(call.has(own) && !call.has(other), "X is {}, so {} has to be given, and {} cannot be", call.type("X").dtype,
          own, other);
  return is_text ? std::ssize(call.strings(own)) : std::ssize(call.integers(own));
}

/// Where the n-grams of each length begin in the pool, and the end of the pool.
Integers begins(const Call& call) {
  Integers begins = call.integers("ngram_counts");
  begins.push_back(pool_size(call));
  for (std::int64_t n = 1; n < std::ssize(begins); ++n) {
    const std::int64_t begin = begins[n - 1], size = begins[n] - begin;
    require(begin <= begins.back(), "ngram_counts[{}] is {}, but must be from 0 to {}", n - 1, begin, begins.back());
    require(size >= 0, "ngram_counts[{}] is {}, but ngram_counts[{}] before it {}", n, begins[n], n - 1, begin);
    require(size % n == 0, "the pool has {} for {}-grams, which is no multiple of {}", counted(size, "item"), n, n);
  }
  return begins;
}

/// X is [C] or [N, C], Y [max(ngram_indexes) + 1] or that of each row.
std::vector<ValueType> output_types(const Call& call) {
  const Dims& X = call.type("X").shape;
  require(X.size() == 1 || X.size() == 2, "X has shape {}, but must be [C] or [N,C]", X);
  const Integers starts = begins(call), indexes = call.integers("ngram_indexes");
  std::int64_t ngrams = 0;
  for (std::int64_t n = 1; n < std::ssize(starts); ++n) ngrams += (starts[n] - starts[n - 1]) / n;
  require(std::ssize(indexes) == ngrams, "ngram_indexes has {}, but the pool {}", counted(std::ssize(indexes), "value"),
          counted(ngrams, "n-gram"));
  require(!indexes.empty(), "the pool has no n-grams, but the size of Y follows from them");
  if (call.has("weights"))
    require(std::ssize(call.numbers("weights")) == ngrams, "weights has {}, but ngram_indexes {}",
            counted(std::ssize(call.numbers("weights")), "value"), ngrams);
  const std::int64_t least = call.integer("min_gram_length"), most = call.integer("max_gram_length");
  require(least <= most, "min_gram_length is {}, but max_gram_length {}", least, most);
  require(most <= std::ssize(starts) - 1, "max_gram_length is {}, but ngram_counts has {}", most,
          counted(std::ssize(starts) - 1, "value"));
  return {TensorType{DType::float32, join(X.first(X.size() - 1), {checked_add(std::ranges::max(indexes), 1)})}};
}

// Of each row x, n from min_gram_length to max_gram_length and each stride from 1 to max_skip_count + 1 (of 1-grams:
// 1), the n-gram (x[i], x[i + stride], …, x[i + (n-1)·stride]) is found at each i where it ends in the row.
// Y[ngram_indexes[g]] = how often n-gram g is found (TF), weights[g] if it is (IDF), their product (TFIDF)
struct Found {
  std::int64_t place, ngram;  ///< of Y, of ngram_indexes
  double count;
};

/// The n-grams that begin with the items that led here: those that end here, and what may follow.
template <class Item>
struct Ngrams {
  Integers ended;
  std::unordered_map<Item, Ngrams*> next;

  const Ngrams* after(const Item& item) const {
    const auto known = next.find(item);
    return known == next.end() ? nullptr : known->second;
  }
};

/// In the order of their places, then of the n-grams.
template <class Item>
std::vector<Found> find_all(const Call& call, const std::vector<Item>& X, const std::vector<Item>& pool) {
  const Integers starts = begins(call), indexes = call.integers("ngram_indexes");
  const std::int64_t least = call.integer("min_gram_length"), most = call.integer("max_gram_length"),
                     strides = call.integer("max_skip_count") + 1, columns = std::ranges::max(indexes) + 1;
  std::deque<Ngrams<Item>> begun(1);
  for (std::int64_t n = 1, g = 0; n < std::ssize(starts); ++n)
    for (auto ngram = pool.begin() + starts[n - 1]; ngram < pool.begin() + starts[n]; ngram += n, ++g) {
      if (n < least || n > most) continue;
      Ngrams<Item>* so_far = &begun.front();
      for (const Item& item : std::span(ngram, ngram + n)) {
        Ngrams<Item>*& next = so_far->next[item];
        if (next == nullptr) next = &begun.emplace_back();
        so_far = next;
      }
      so_far->ended.push_back(g);
    }
  const Dims& shape = call.type("X").shape;
  const std::int64_t C = shape[shape.size() - 1], rows = shape.size() == 2 ? shape[0] : 1;
  std::vector<Found> found;
  std::vector<double> counts(indexes.size());
  for (std::int64_t row = 0; row < rows; ++row) {
    const Item* x = X.data() + row * C;
    Integers met;
    const auto count = [&](const Ngrams<Item>& ngrams) {
      for (const std::int64_t g : ngrams.ended)
        if (counts[g]++ == 0) met.push_back(g);
    };
    for (std::int64_t i = 0; i < C; require_time(), ++i) {
      const Ngrams<Item>* first = begun.front().after(x[i]);
      if (first == nullptr) continue;
      count(*first);
      for (std::int64_t stride = 1; stride <= strides && i + stride < C && !first->next.empty(); ++stride) {
        const Ngrams<Item>* ngrams = first;
        for (std::int64_t k = i + stride; k < C && (ngrams = ngrams->after(x[k])) != nullptr; k += stride)
          count(*ngrams);
      }
    }
    std::ranges::sort(met, {}, [&](std::int64_t g) { return std::pair(indexes[g], g); });
    for (const std::int64_t g : met) found.push_back({row * columns + indexes[g], g, std::exchange(counts[g], 0.0)});
  }
  return found;
}

std::vector<Found> find_all(const Call& call) {
  const Tensor& X = call.input("X");
  if (X.dtype() == DType::string) {
    const std::vector<std::string>& pool = call.strings("pool_strings");
    return find_all<std::string_view>(call, {X.strings().begin(), X.strings().end()}, {pool.begin(), pool.end()});
  }
  return find_all(call, call.integers("X"), call.integers("pool_int64s"));
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const auto given =
      call.string("mode") != "TF" && call.has("weights") ? call.numbers("weights") : std::vector<float>();
  const bool counts = call.string("mode") != "IDF";
  std::vector<double> factors, weights;
  Integers ends(element_count(outs[0].type().shape));  // of both, of places of Y
  for (const auto& [place, ngram, count] : find_all(call)) {
    factors.push_back(counts ? count : 1);
    weights.push_back(given.empty() ? 1 : given[ngram]);
    ends[place] = std::ssize(factors);
  }
  for (size_t i = 1; i < ends.size(); ++i) ends[i] = std::max(ends[i], ends[i - 1]);
  const auto factor_tensor = Tensor::of<double>(DType::float64, {std::ssize(factors)}, factors);
  const auto weight_tensor = Tensor::of<double>(DType::float64, {std::ssize(weights)}, weights);
  const Elements factor(factor_tensor), weight(weight_tensor);
  return {evaluators::sum(outs[0], DType::float64, [&](std::int64_t i, auto& sum) {
    const std::int64_t begin = i == 0 ? 0 : ends[i - 1];
    if (const Run run{begin, ends[i] - begin}; run.count > 0) sum.add(factor[run], weight[run]);
  })};
}

void version_9(OpSchema& s) {
  s.input("X", "T").output("Y", "T1").types("T", {DType::string, DType::int32, DType::int64});
  s.types("T1", DType::float32);
  s.attribute(required(INT, "max_gram_length", at_least(1))).attribute(required(INT, "min_gram_length", at_least(1)));
  s.attribute(required(INT, "max_skip_count", between(0, 0x7fffffff)));
  s.attribute(required(STRING, "mode", one_of({"TF", "IDF", "TFIDF"})))
      .attribute(required(INTS, "ngram_counts", at_least(0)));
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
}  // namespace opref::ops::onnx::file_tf_idf_vectorizer
