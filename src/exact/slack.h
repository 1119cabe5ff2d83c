// What error bounds allow beyond the roundings that they count.
#pragma once

namespace opref {

/// An estimate is formed by operations that each round by at most 2^-53 of some magnitude; whoever forms it counts how
/// many a term can take part in. The slack is what a bound adds to that count, so that the count itself need not pay
/// for forming the two ends of a bracket and for computing the bound. Tests take it away, and one rounding more: the
/// hardest inputs are then still right, and no longer right.
struct Slack {
  double roundings = 3;
  double factor = 1.01;  ///< for higher-order terms and the roundings of the magnitude itself

  /// How wrong an estimate can be, as a part of the magnitude. Counts are below 2^40.
  double bound(double counted) const { return (counted + roundings) * 0x1p-53 * factor; }
};

}  // namespace opref
