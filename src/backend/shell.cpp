// SPDX-License-Identifier: Apache-2.0
#include "backend/shell.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "core/error.h"

namespace opref::backend {
namespace {

enum class Quotes : std::uint8_t { none, single, double_ };

/// A program that takes words of its command line for code.
struct CodeReader {
  enum class Words : std::uint8_t {
    behind_options,           ///< behind its options, which stand first
    behind_options_anywhere,  ///< behind its options
    first,                    ///< and the first word that is no option's
    all,
  };

  std::string_view names;    ///< without versions, between blanks
  Words words;               ///< where it looks for code
  std::string_view letters;  ///< of the options that take code
  std::string_view taking;   ///< letters of other options that take a word
};

constexpr CodeReader kCodeReaders[] = {
    {" eval trap alias let ssh rsh watch parallel make gmake ", CodeReader::Words::all, "", ""},
    {" sh bash rbash dash ash zsh ksh mksh yash fish csh tcsh ", CodeReader::Words::behind_options, "c", "oO"},
    {" python pypy ", CodeReader::Words::behind_options, "c", "WX"},
    {" perl ruby node nodejs lua julia php ", CodeReader::Words::behind_options, "eEr", "I"},
    {" su sg runuser script flock ", CodeReader::Words::behind_options_anywhere, "c", ""},
    {" awk gawk mawk nawk sed gsed ", CodeReader::Words::first, "e", "vF"},
};

/// "python" of "/usr/bin/python3.11".
std::string_view program_name(std::string_view word) {
  word.remove_prefix(word.rfind('/') + 1);  // npos + 1 is 0
  return word.substr(0, word.find_last_not_of("0123456789.-") + 1);
}

/// Whether the last of the words behind a reader's name is code.
bool is_code(const CodeReader& reader, std::span<const std::string> behind) {
  using Words = CodeReader::Words;
  if (reader.words == Words::all) return true;
  bool code_next = false, code_first = reader.words == Words::first;
  for (size_t i = 0; i < behind.size(); ++i) {
    const std::string_view word = behind[i];
    const bool is_last = i + 1 == behind.size();
    if (word.size() < 2 || (word[0] != '-' && word[0] != '+')) {
      const bool is_code = code_next || code_first;
      if (is_code && is_last) return true;
      if (!is_code && reader.words != Words::behind_options_anywhere) return false;
      code_next = code_first = false;
    } else if (word.starts_with("--")) {
      const bool names_code = word.size() > 2 && (word[2] == 'c' || word[2] == 'e');  // command, eval, expression
      if (names_code && is_last) return true;
      code_next |= names_code && word.find('=') == word.npos;
    } else if (word.find_first_of(reader.letters) != word.npos) {
      if (is_last) return true;
      code_next = true;
    } else if (word.size() == 2 && reader.taking.find(word[1]) != word.npos) {
      ++i;
    } else if (code_first && word == "-f") {
      code_first = false, ++i;
    }
  }
  return false;
}

/// Follows a command, character by character, as the shell reads it.
class ShellScan {
 public:
  Quotes quotes() const { return levels_.back().quotes; }
  bool is_escaped() const { return escaped_; }
  bool in_comment() const { return comment_; }

  /// Why a name cannot stand here as data; empty if it can.
  std::string obstacle() const {
    if (backtick_) return "stands behind a backtick: write `COMMAND` as $(COMMAND)";
    if (here_document_) return "stands behind a here document, '<<': write a script that takes it as an argument";
    std::vector<std::string> words;
    for (const Level& level : levels_) {
      if (level.kind == Level::Kind::arithmetic) return "stands in arithmetic, which takes text for code";
      if (level.kind == Level::Kind::parameter && !level.text_at) return "stands in ${…}, where it is no text";
      if (level.kind == Level::Kind::commands) {
        words = level.words;
        words.push_back(level.word);
      } else {  // what stands in it may be several words of the command around it
        append_words(words, text_of(level));
      }
      for (size_t i = 0; i + 1 < words.size(); ++i)
        for (const CodeReader& reader : kCodeReaders)
          if (reader.names.find(format(" {} ", program_name(words[i]))) != std::string_view::npos &&
              is_code(reader, std::span(words).subspan(i + 1)))
            return format(
                "stands in what '{0}' takes for code: hand it over as an argument, as in "
                "sh -c '… \"$1\"' sh {{model}}",
                printable(words[i]));
    }
    return "";
  }

  /// A name stands here.
  void pass_name() {
    levels_.back().word += "NAME";
    levels_.back().in_word = true;
    before_ = '\0';
  }

  /// The first character of what is left of the command.
  void pass(std::string_view text) {
    const char c = text.front(), next = text.size() > 1 ? text[1] : '\0';
    const char before = std::exchange(before_, c);
    Level& level = levels_.back();
    if (comment_) {
      if (c != '\n') return;
      comment_ = false;
    }
    if (std::exchange(escaped_, false)) {
      before_ = '\0';
      if (c != '\n') add(c);
      return;
    }
    if (level.quotes == Quotes::single) {
      if (c == '\'') level.quotes = Quotes::none;
      if (c != '\'') add(c);
      return;
    }
    if (c == '\\') {
      escaped_ = true;
    } else if (c == '`') {
      backtick_ = true;
    } else if (c == '(' && before == '$') {
      level.word.pop_back();
      open(next == '(' ? Level::Kind::arithmetic : Level::Kind::commands, Quotes::none);
    } else if (c == '{' && before == '$') {
      level.word.pop_back();
      open(Level::Kind::parameter, level.quotes);
      levels_.back().text_at = text_at(text.substr(1));
    } else if (c == '}' && level.kind == Level::Kind::parameter && level.quotes == level.at_start) {
      close();
    } else if (c == '"') {
      level.quotes = level.quotes == Quotes::none ? Quotes::double_ : Quotes::none;
      level.in_word = true;
    } else if (level.quotes == Quotes::double_ || level.kind == Level::Kind::parameter) {
      if (c == '\'' && level.quotes == Quotes::none) level.quotes = Quotes::single;
      add(c);
    } else {
      pass_unquoted(c, next, before);
    }
  }

 private:
  struct Level {
    enum class Kind : std::uint8_t { commands, arithmetic, parameter } kind = Kind::commands;
    Quotes quotes = Quotes::none, at_start = Quotes::none;
    std::optional<size_t> text_at;   ///< of a parameter: where in `word` it has text, as behind ":-"
    std::vector<std::string> words;  ///< of the simple command till now, without quotes
    std::string word;                ///< that has begun; all that stands in a parameter
    std::vector<std::string> said;   ///< all words of all commands
    bool in_word = false, is_file = false;
    int cases = 0;  ///< that esac has not ended
  };

  static std::optional<size_t> text_at(std::string_view inside) {
    size_t end = inside.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    if (end == std::string_view::npos) return std::nullopt;
    if (inside[end] == ':') ++end;
    const bool takes_text = end < inside.size() && std::string_view("-=+?").find(inside[end]) != std::string_view::npos;
    return takes_text ? std::optional(end + 1) : std::nullopt;
  }

  /// What may stand in the place of the level: the text of a parameter, the words of commands, which may print them.
  static std::string text_of(const Level& level) {
    if (level.kind != Level::Kind::parameter) return join_text(level.said, " ");
    return level.text_at && *level.text_at < level.word.size() ? level.word.substr(*level.text_at) : "";
  }

  /// The first goes on with the last word.
  static void append_words(std::vector<std::string>& words, std::string_view text) {
    for (const char c : text) {
      if (c == ' ' || c == '\t' || c == '\n')
        words.emplace_back();
      else
        words.back() += c;
    }
  }

  void add(char c) {
    levels_.back().word += c;
    levels_.back().in_word = true;
  }

  void open(Level::Kind kind, Quotes quotes) {
    Level level;
    level.kind = kind;
    level.quotes = level.at_start = quotes;
    levels_.push_back(std::move(level));
  }

  /// The innermost level ends; what it may expand to stands in its place, be it quoted or not.
  void close() {
    if (levels_.back().kind != Level::Kind::parameter) end_word();
    const std::string text = text_of(levels_.back());
    levels_.pop_back();
    Level& around = levels_.back();
    std::vector<std::string> words{std::move(around.word)};
    append_words(words, text);
    around.word = std::move(words.back());
    words.pop_back();
    std::ranges::copy(words, std::back_inserter(around.words));
    std::ranges::copy(words, std::back_inserter(around.said));
  }

  void end_word() {
    Level& level = levels_.back();
    if (!std::exchange(level.in_word, false)) return;
    std::string word = std::exchange(level.word, "");
    level.said.push_back(word);
    if (std::exchange(level.is_file, false)) return;
    constexpr std::string_view kReserved = " if then elif else while until do ! { time ";
    if (level.words.empty() && kReserved.find(" " + word + " ") != std::string_view::npos) return;
    if (level.words.empty() && word == "case") ++level.cases;
    if (level.words.empty() && word == "esac") --level.cases;
    level.words.push_back(std::move(word));
  }

  void end_command() {
    end_word();
    levels_.back().words.clear();
  }

  void pass_unquoted(char c, char next, char before) {
    Level& level = levels_.back();
    switch (c) {
      case '\'':
        level.quotes = Quotes::single;
        level.in_word = true;
        break;
      case ' ':
      case '\t':
        end_word();
        break;
      case '#':
        if (level.in_word)
          add(c);
        else
          comment_ = true;
        break;
      case '<':
      case '>':
        here_document_ |= c == '<' && next == '<';
        if (level.word.find_first_not_of("0123456789") == std::string::npos) level.is_file = true;  // a descriptor
        end_word();
        level.is_file = true;
        break;
      case '&':
        if (before != '>' && before != '<' && next != '>') end_command();
        break;
      case ';':
      case '|':
      case '\n':
        end_command();
        break;
      case '(':
        end_command();
        open(next == '(' ? Level::Kind::arithmetic : Level::Kind::commands, Quotes::none);
        break;
      case ')':
        end_command();
        if (levels_.size() > 1 && level.cases <= 0) close();
        break;
      default:
        add(c);
    }
  }

  std::vector<Level> levels_ = {{}};
  char before_ = '\0';
  bool escaped_ = false, comment_ = false, backtick_ = false, here_document_ = false;
};

/// As one word of a shell command.
std::string in_single_quotes(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// The word of "{word}…", or "".
std::string_view braced_word(std::string_view text) {
  if (!text.starts_with('{')) return "";
  const size_t end = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-", 1);
  return end == std::string_view::npos || text[end] != '}' ? "" : text.substr(1, end - 1);
}

}  // namespace

std::string shell_quoted(std::string_view text) {
  const bool plain = !text.empty() && text.find_first_not_of(
                                          "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                          "_-./:=,+@%") == std::string_view::npos;
  if (plain || printable(text, text.size()) == text) return plain ? std::string(text) : in_single_quotes(text);
  // Bytes that a terminal would not show are printed by the command itself.
  std::string octal;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f)
      octal += {'\\', static_cast<char>('0' + byte / 64), static_cast<char>('0' + byte / 8 % 8),
                static_cast<char>('0' + byte % 8)};
    else
      octal += c == '%' || c == '\\' ? std::string(2, c) : std::string(1, c);
  }
  return "\"$(printf " + in_single_quotes(octal) + ")\"";
}

std::string variable_of(std::string_view place) {
  std::string name = "OPREF_";
  for (const char c : place) name += static_cast<char>(c - 'a' + 'A');
  return name;
}

Placed with_places(std::string_view command, std::span<const std::string_view> names) {
  Placed placed;
  ShellScan scan;
  for (size_t i = 0; i < command.size();) {
    const std::string_view word = braced_word(command.substr(i));
    // ${word} is the shell's.
    const bool is_word = !word.empty() && !scan.is_escaped() && (i == 0 || command[i - 1] != '$');
    const bool is_place = is_word && std::ranges::find(names, word) != names.end();
    if (is_word && !is_place)
      if (const std::string nearest = did_you_mean(word, names); !nearest.empty())
        fail(Fault::usage, "'{}' is no place of a runner's command{}", format("{{{}}}", word), nearest);
    placed.any |= is_place;
    if (!is_place || scan.in_comment()) {
      scan.pass(command.substr(i));
      placed.command += command[i++];
      continue;
    }
    if (const std::string obstacle = scan.obstacle(); !obstacle.empty())
      fail(Fault::usage, "{{{}}} {}", word, obstacle);
    const std::string variable = format("${{{}}}", variable_of(word));
    const Quotes quotes = scan.quotes();
    placed.command += quotes == Quotes::none     ? "\"" + variable + "\""
                      : quotes == Quotes::single ? "'\"" + variable + "\"'"
                                                 : variable;
    scan.pass_name();
    i += word.size() + 2;
  }
  return placed;
}

}  // namespace opref::backend
