// SPDX-License-Identifier: Apache-2.0
// -o: where results go.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "run/bind.h"
#include "system/file.h"

namespace opref::run {

/// One -o argument: a file (.npy, .npz, .pb, of maps .json), a folder, "-" (npy on standard output) or NAME=FILE. In a
/// folder each tensor is a .npy, each sequence a folder of its elements, 0.npy …, a map or a sequence of them a .json;
/// an optional is its element, or nothing.
struct Destination {
  std::string tensor;  ///< of NAME=FILE; empty: the graph's outputs
  std::string path;
};

/// Faults: `usage` (an unknown name or extension, several outputs for one file), `malformed` (the graph has no output);
/// said before anything is computed.
std::vector<Destination> parse_destinations(const Bound& bound, std::span<const std::string> arguments);

/// Where one file of a destination goes.
struct OutputPlace {
  std::filesystem::path file;        ///< of a tensor; of all `tensors` where they share an .npz
  std::filesystem::path elements;    ///< the folder of a sequence's elements; empty: the destination is one file
  std::vector<std::string> tensors;  ///< of the graph
};
/// In a folder there is a place for each tensor.
std::vector<OutputPlace> places_of(const Bound& bound, const Destination& destination);

/// For EvaluationOptions::before_value: an `unsupported` error where a tensor that goes into a .pb does not fit there.
std::function<void(const std::string& name, const ValueType& type)> size_check(
    const Bound& bound, std::span<const Destination> destinations);

/// Writes all destinations; all files are complete before the first gets its name. A file is overwritten, and nothing
/// is removed: a `usage` error, before anything is written, where what an earlier result left in a folder would make an
/// output another value: NAME.npy of what is no tensor now, a folder of elements of what is no sequence, elements that
/// a shorter sequence has no more, and what is no element.
/// A `system` error, before anything is written, where all files together take more than `most` bytes.
void write_outputs(const Bound& bound, const Environment& environment, std::span<const Destination> destinations,
                   std::int64_t most = INT64_MAX);

/// A file name of a tensor's name: all but [A-Za-z0-9._-] percent-encoded, and the names "." and "..".
std::string file_name_of(std::string_view tensor);

/// Writes one value by the extension of `path`: .npy, .npz (as member `name`), .pb, .json; "-" is npy on standard
/// output. A sequence takes an .npz, whose members are its elements' positions, or .pb; an optional without an element
/// .pb; maps .pb or .json.
void write_value(const std::string& path, const std::string& name, const Value& value, Link link = Link::followed);

}  // namespace opref::run
