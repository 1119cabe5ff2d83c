// SPDX-License-Identifier: Apache-2.0
// What `diff` prints and writes of two models.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/model_diff.h"
#include "io/json/json.h"
#include "models/comparison.h"
#include "models/inputs.h"

namespace opref::cli {

using namespace models;

/// What is compared, and on which inputs.
struct Both {
  Bound fresh, reference;
  Environment inputs;  ///< of the reference
  std::vector<GeneratedInput> generated;
  std::vector<std::string> notes;
  size_t data_sets = 1, data_set = 0;  ///< of a case folder: how many there are, and whose regions are shown
  std::unique_ptr<Model> fresh_model, reference_model;
  Candidates candidates;
};

/// The name of a file, or "the text".
std::string file_name(const std::string& argument);

/// "12 %", "0.034 %"
std::string percent(double share);
/// "12.3 dB"
std::string decibel_text(double sqnr);
/// The nodes at these places: "Conv 'a', Relu 'b'".
std::string titles_of(const Model& model, const std::vector<size_t>& places);

/// Lines that are not wrapped yet.
std::vector<std::string> text_lines(const ModelDiffArguments& arguments, const Both& both, const Pairing& pairing,
                                    const ModelComparison& found);
/// The document of --json.
Json diff_document(const Both& both, const Pairing& pairing, const ModelComparison& found, int exit_code);
/// The page of --html: the regions as the cases of a report, those that differ first, then by what they add to the
/// outputs' error.
void write_regions(const ModelDiffArguments& arguments, const Both& both, const Pairing& pairing,
                   const ModelComparison& found, const std::vector<std::string>& notes);

}  // namespace opref::cli
