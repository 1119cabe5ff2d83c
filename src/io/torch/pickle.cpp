// SPDX-License-Identifier: Apache-2.0
#include "io/torch/pickle.h"

#include <optional>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"

namespace opref::io {
namespace {

using Kind = PickleValue::Kind;

/// The machine that a pickle is a program of, with those operations that make data.
class Reader {
 public:
  Reader(std::span<const std::byte> bytes, bool (*may_name)(std::string_view)) : bytes_(bytes), may_name_(may_name) {}

  Pickle read() {
    while (!ended_) {
      start_ = at_;
      step(static_cast<unsigned char>(take(1)[0]));
    }
    pickle_.result = pop();
    return std::move(pickle_);
  }

 private:
  [[noreturn]] void broken(std::string_view what) const {
    fail(Fault::malformed, "the pickle is broken at byte {}: {}", start_, what);
  }

  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size() - at_) broken("it ends there");
    const std::string_view taken(reinterpret_cast<const char*>(bytes_.data()) + at_, static_cast<std::size_t>(count));
    at_ += taken.size();
    return taken;
  }
  /// In little endian.
  std::uint64_t number(int size) {
    std::uint64_t value = 0;
    const std::string_view taken = take(static_cast<std::uint64_t>(size));
    for (int i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(taken[static_cast<std::size_t>(i)]);
    return value;
  }
  std::string line() {
    const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()) + at_, bytes_.size() - at_);
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) broken("a line does not end");
    at_ += end + 1;
    return std::string(rest.substr(0, end));
  }

  std::size_t pop() {
    if (stack_.empty() || (!marks_.empty() && stack_.size() <= marks_.back())) broken("a value is missing");
    const std::size_t value = stack_.back();
    stack_.pop_back();
    return value;
  }
  /// All since the last mark.
  std::vector<std::size_t> pop_marked() {
    if (marks_.empty()) broken("there is no mark");
    const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<std::size_t> items(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    marks_.pop_back();
    return items;
  }
  PickleValue& top(Kind kind, std::string_view what) {
    if (stack_.empty() || (!marks_.empty() && stack_.size() <= marks_.back())) broken("a value is missing");
    PickleValue& value = pickle_.values[stack_.back()];
    if (value.kind != kind) broken(what);
    return value;
  }

  void push(PickleValue value) {
    stack_.push_back(pickle_.values.size());
    pickle_.values.push_back(std::move(value));
  }
  void push(Kind kind, std::int64_t value = 0) { push(PickleValue{.kind = kind, .number = value}); }
  void push_text(std::string_view text) { push(PickleValue{.kind = Kind::text, .text = valid_utf8(text)}); }
  void push_items(Kind kind, std::vector<std::size_t> items) {
    push(PickleValue{.kind = kind, .items = std::move(items)});
  }
  void push_last(std::size_t count) {
    std::vector<std::size_t> items(count);
    for (std::size_t i = count; i-- > 0;) items[i] = pop();
    push_items(Kind::tuple, std::move(items));
  }
  void push_global(const std::string& module, const std::string& name) {
    const std::string whole = module + "." + name;
    if (!may_name_(whole))
      fail(Fault::unsupported, "the pickle calls '{}': of a pickle only tensors and dicts are read{}", printable(whole),
           whole.starts_with("__torch__") || whole.starts_with("torch.nn.")
               ? "; a model is read as ONNX, which torch.onnx.export writes"
               : "");
    push(PickleValue{.kind = Kind::global, .text = whole});
  }
  /// LONG: two's complement of any size.
  void push_long(std::uint64_t size) {
    const std::string_view digits = take(size);
    if (size > sizeof(std::int64_t)) fail(Fault::unsupported, "the pickle has an integer of more than 64 bits");
    std::uint64_t value = size > 0 && (digits[size - 1] & 0x80) != 0 ? UINT64_MAX : 0;
    for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(digits[i]);
    push(Kind::integer, static_cast<std::int64_t>(value));
  }

  void remember(std::uint64_t key) {
    if (stack_.empty()) broken("there is nothing to remember");
    memo_[key] = stack_.back();
  }
  void recall(std::uint64_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end()) broken("what is meant is not remembered");
    stack_.push_back(found->second);
  }

  void add_items(Kind kind, const std::vector<std::size_t>& items) {
    if (kind == Kind::dict && items.size() % 2 != 0) broken("a key has no value");
    if (kind == Kind::dict && !stack_.empty() && pickle_.values[stack_.back()].kind == Kind::call) {
      // OrderedDict (): the only call that items are added to
      PickleValue& made = pickle_.values[stack_.back()];
      if (pickle_.values[made.items[0]].text != "collections.OrderedDict") broken("items of what is no dict");
      made = PickleValue{.kind = Kind::dict};
    }
    PickleValue& container = top(kind, kind == Kind::dict ? "items of what is no dict" : "items of what is no list");
    container.items.insert(container.items.end(), items.begin(), items.end());
  }
  void call() {
    const std::size_t arguments = pop(), function = pop();
    if (pickle_.values[function].kind != Kind::global || pickle_.values[arguments].kind != Kind::tuple)
      broken("a call of what is no name");
    push_items(Kind::call, {function, arguments});
  }

  void step(unsigned char code) {
    switch (code) {
      case 0x80:  // PROTO
        if (const std::uint64_t protocol = number(1); protocol < 2 || protocol > 5)
          fail(Fault::unsupported, "the pickle has protocol {}, but 2 to 5 are read", protocol);
        return;
      case 0x95:  // FRAME
        return static_cast<void>(number(8));
      case '.':
        ended_ = true;
        return;
      case '(':
        return marks_.push_back(stack_.size());
      case '0':  // POP
        return static_cast<void>(pop());
      case 'N':
        return push(Kind::none);
      case 0x88:
      case 0x89:
        return push(Kind::boolean, code == 0x88 ? 1 : 0);
      case 'J':
        return push(Kind::integer, static_cast<std::int32_t>(number(4)));
      case 'K':
        return push(Kind::integer, static_cast<std::int64_t>(number(1)));
      case 'M':
        return push(Kind::integer, static_cast<std::int64_t>(number(2)));
      case 0x8a:
        return push_long(number(1));
      case 'G':
        take(8);
        return push(Kind::real);
      case 'X':
        return push_text(take(number(4)));
      case 0x8c:
        return push_text(take(number(1)));
      case 0x8d:
        return push_text(take(number(8)));
      case 'U':
        return push_text(take(number(1)));
      case 'T':
        return push_text(take(number(4)));
      default:
        return step_of_containers(code);
    }
  }

  void step_of_containers(unsigned char code) {
    switch (code) {
      case ')':
        return push(Kind::tuple);
      case ']':
        return push(Kind::list);
      case '}':
        return push(Kind::dict);
      case 't':
        return push_items(Kind::tuple, pop_marked());
      case 0x85:
      case 0x86:
      case 0x87:
        return push_last(code - 0x84U);
      case 'a': {
        const std::size_t item = pop();
        return add_items(Kind::list, {item});
      }
      case 'e':
        return add_items(Kind::list, pop_marked());
      case 's': {
        const std::size_t value = pop(), key = pop();
        return add_items(Kind::dict, {key, value});
      }
      case 'u':
        return add_items(Kind::dict, pop_marked());
      default:
        return step_of_names(code);
    }
  }

  void step_of_names(unsigned char code) {
    switch (code) {
      case 'q':
        return remember(number(1));
      case 'r':
        return remember(number(4));
      case 0x94:
        return remember(memo_.size());
      case 'h':
        return recall(number(1));
      case 'j':
        return recall(number(4));
      case 'c': {
        const std::string module = line(), name = line();
        return push_global(module, name);
      }
      case 0x93: {
        const std::size_t name = pop(), module = pop();
        return push_global(pickle_.values[module].text, pickle_.values[name].text);
      }
      case 'Q': {
        const std::size_t id = pop();
        return push_items(Kind::persistent, {id});
      }
      case 'R':
        return call();
      case 'b':  // BUILD: attributes, such as the _metadata of a module's tensors, which no tensor is in
        return static_cast<void>(pop());
      default:
        fail(Fault::unsupported,
             "the pickle has operation 0x{} at byte {}: of a pickle only tensors and dicts are read", hex(code),
             start_);
    }
  }

  static std::string hex(unsigned char code) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    return {kDigits[code >> 4], kDigits[code & 15]};
  }

  std::span<const std::byte> bytes_;
  bool (*may_name_)(std::string_view);
  std::size_t at_ = 0, start_ = 0;
  bool ended_ = false;
  Pickle pickle_;
  std::vector<std::size_t> stack_, marks_;
  std::unordered_map<std::uint64_t, std::size_t> memo_;
};

}  // namespace

Pickle read_pickle(std::span<const std::byte> bytes, bool (*may_name)(std::string_view name)) {
  return Reader(bytes, may_name).read();
}

}  // namespace opref::io
