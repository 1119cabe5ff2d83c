// SPDX-License-Identifier: Apache-2.0
#include "report/document.h"

#include <string>

#include "system/file.h"

namespace opref::report {

void write_document(Document document, const CheckReport& report, const std::filesystem::path& path) {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  FileWriter file(path);
  std::string piece;
  document(report, [&](std::string_view text) {
    piece += text;
    if (piece.size() < kPiece) return;
    file.write(piece);
    piece.clear();
  });
  file.write(piece);
  file.commit(Sync::yes);
}

}  // namespace opref::report
