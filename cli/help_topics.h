// The pages of `opref help TOPIC`: the files of cli/help, each under its name.
#pragma once

#include <string_view>
#include <vector>

namespace opref::cli {

struct HelpTopic {
  std::string_view name;  ///< "exit-codes"
  std::string_view text;  ///< Markdown of at most 80 columns, but for links; its first line is "# Title"

  std::string_view title() const { return text.substr(2, text.find('\n') - 2); }
};
/// By name.
const std::vector<HelpTopic>& help_topics();

}  // namespace opref::cli
