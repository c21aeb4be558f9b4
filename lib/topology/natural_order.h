#pragma once
// Names as people count them: gpu-2 before gpu-10. The order of last resort wherever something must be chosen.

#include "absl/strings/string_view.h"

namespace muster {

// < 0, 0, > 0. Runs of digits compare as numbers of any length, all else byte by byte; where that says equal, the run
// with fewer leading zeros goes first ("n1" before "n01"). Total: 0 only for equal strings.
int CompareNatural(absl::string_view a, absl::string_view b);

// For ordered containers.
struct NaturalLess {
  using is_transparent = void;
  bool operator()(absl::string_view a, absl::string_view b) const { return CompareNatural(a, b) < 0; }
};

}  // namespace muster
