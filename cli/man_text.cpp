// SPDX-License-Identifier: Apache-2.0
#include "cli/man_text.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "core/text.h"
#include "core/utf8.h"

namespace opref::cli {
namespace {

using core::format;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    lines.push_back(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(lines.back().size() + 1, text.size()));
  }
  return lines;
}

/// At least four digits, as \[u2026] has them.
std::string code_digits(std::uint32_t code) {
  std::string digits;
  for (; code != 0 || digits.size() < 4; code >>= 4) digits.insert(digits.begin(), "0123456789ABCDEF"[code & 15]);
  return digits;
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// The words of a paragraph, with `code` and [text](link) as bold text and *emphasis* as what it is.
std::string styled(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const char mark = text.front();
    const size_t end = mark == '`' || mark == '*' ? text.find(mark, 1) : text.npos;
    if (text.starts_with("**") && text.find("**", 2) != text.npos) {
      const size_t close = text.find("**", 2);
      out += format("\\fB{}\\fR", man_escaped(text.substr(2, close - 2)));
      text.remove_prefix(close + 2);
    } else if (end != text.npos && end > 1) {
      out += format("\\f{}{}\\fR", mark == '`' ? "B" : "I", man_escaped(text.substr(1, end - 1)));
      text.remove_prefix(end + 1);
    } else {
      const size_t next = std::min(text.find_first_of("`*", 1), text.size());
      out += man_escaped(text.substr(0, next));
      text.remove_prefix(next);
    }
  }
  return out;
}

/// At most 78 bytes a line, where words allow it; a dot or quote at the begin of a line is text.
std::string filled_lines(std::string_view text) {
  constexpr size_t kLongest = 78;
  std::string out, line;
  const auto finish = [&] {
    out += format("{}{}\n", line.starts_with('.') || line.starts_with('\'') ? "\\&" : "", line);
    line.clear();
  };
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (!line.empty() && line.size() + 1 + word.size() > kLongest) finish();
    line += format("{}{}", line.empty() ? "" : " ", word);
    text.remove_prefix(word.size());
  }
  if (!line.empty()) finish();
  return out;
}

std::vector<std::string> cells_of(std::string_view row) {
  std::vector<std::string> cells;
  for (row.remove_prefix(1); !row.empty();) {
    const size_t bar = std::min(row.find('|'), row.size());
    cells.emplace_back(trimmed(row.substr(0, bar)));
    row.remove_prefix(std::min(bar + 1, row.size()));
  }
  return cells;
}

std::string row_text(const std::vector<std::string>& cells) {
  std::string meaning;
  for (size_t i = 1; i < cells.size(); ++i)
    if (!cells[i].empty()) meaning += format("{}{}", meaning.empty() ? "" : ": ", cells[i]);
  return format(".TP\n{}{}", filled_lines(styled(cells.front())), filled_lines(styled(meaning)));
}

/// Blocks of Markdown, one after the other.
class Converter {
 public:
  explicit Converter(std::string_view markdown) : lines_(lines_of(markdown)) {}

  std::string text() {
    while (at_ < lines_.size()) convert_block();
    return std::move(out_);
  }

 private:
  static bool is_item(std::string_view line) {
    return line.starts_with("- ") ||
           (line.size() > 3 && std::isdigit(static_cast<unsigned char>(line[0])) != 0 && line.substr(1, 2) == ". ");
  }
  static bool begins_block(std::string_view line) {
    return line.empty() || is_item(line) || line.starts_with("#") || line.starts_with("|") || line.starts_with("```");
  }

  /// This line and those after it that belong to the same paragraph.
  std::string paragraph(std::string_view first) {
    std::string text(trimmed(first));
    for (++at_; at_ < lines_.size() && !begins_block(lines_[at_]); ++at_) text += format(" {}", trimmed(lines_[at_]));
    return filled_lines(styled(text));
  }

  void convert_block() {
    const std::string_view line = lines_[at_];
    if (line.empty()) {
      ++at_;
      return;
    }
    if (line.starts_with("```") || line.starts_with("    ")) {
      convert_code();
    } else if (line.starts_with("#")) {
      out_ += man_heading("SH", line.substr(line.find(' ') + 1));
      ++at_;
      after_heading_ = true;
      return;
    } else if (line.starts_with("|")) {
      if (at_ + 1 < lines_.size() && lines_[at_ + 1].starts_with("| ---"))
        ++at_;  // the heads of columns
      else
        out_ += row_text(cells_of(line));
      ++at_;
    } else if (is_item(line)) {
      const size_t end = line.find(' ');
      const std::string mark = line.starts_with("-") ? "\\(bu" : std::string(line.substr(0, end));
      out_ += format(".IP {} {}\n", mark, line.starts_with("-") ? 2 : 3);
      out_ += paragraph(line.substr(end + 1));
    } else {
      if (!after_heading_) out_ += ".PP\n";
      out_ += paragraph(line);
    }
    after_heading_ = false;
  }

  /// Between lines of three marks, or indented by four.
  void convert_code() {
    constexpr std::string_view kMarks = "```", kIndent = "    ";
    const bool is_marked = lines_[at_].starts_with(kMarks);
    std::string code;
    for (at_ += is_marked; at_ < lines_.size(); ++at_) {
      const bool goes_on = is_marked || lines_[at_].empty() || lines_[at_].starts_with(kIndent);
      if (!goes_on || lines_[at_].starts_with(kMarks)) break;
      code += format("{}\n", is_marked || lines_[at_].empty() ? lines_[at_] : lines_[at_].substr(kIndent.size()));
    }
    while (code.ends_with("\n\n")) code.pop_back();
    at_ += is_marked;
    if (!after_heading_) out_ += ".PP\n";
    out_ += man_block(code);
  }

  std::vector<std::string_view> lines_;
  size_t at_ = 0;
  bool after_heading_ = true;
  std::string out_;
};

}  // namespace

std::string man_escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto point = core::first_code_point(text);
    const size_t size = point ? point->size : 1;
    if (text.front() == '\\')
      out += "\\e";
    else if (text.front() == '-')
      out += "\\-";
    else if (text.front() == '\'')
      out += "\\(aq";
    else if (text.front() == '`')
      out += "\\(ga";
    else if (text.front() == '^')
      out += "\\(ha";
    else if (text.front() == '~')
      out += "\\(ti";
    else if (!point || point->code < 0x80)
      out += text.front();
    else
      out += format("\\[u{}]", code_digits(point->code));
    text.remove_prefix(size);
  }
  return out;
}

std::string man_paragraph(std::string_view text) { return filled_lines(man_escaped(text)); }

std::string man_block(std::string_view lines) {
  std::string out = ".nf\n";
  for (const std::string_view line : lines_of(lines))
    out += format("{}{}\n", line.starts_with('.') || line.empty() ? "\\&" : "", man_escaped(line));
  return out + ".fi\n";
}

std::string man_heading(std::string_view request, std::string_view title) {
  std::string capitals(title);
  std::ranges::transform(capitals, capitals.begin(),
                         [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  return format(".{} {}\n", request, man_escaped(capitals));
}

std::string man_from_markdown(std::string_view markdown) {
  markdown.remove_prefix(std::min(markdown.find('\n') + 1, markdown.size()));
  return Converter(markdown).text();
}

}  // namespace opref::cli
