#include "lib/topology/fabric.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"

namespace muster {

absl::StatusOr<Fabric> FabricOf(absl::string_view text, absl::string_view field) {
  std::vector<std::string> names;
  for (const Fabric fabric : {Fabric::kAnyRail, Fabric::kRailOptimised, Fabric::kRailOnly}) {
    names.push_back(FabricText(fabric));
    if (text == names.back()) return fabric;
  }
  const std::string nearest = NearestName(std::string(text), names);
  return FieldError(
      field, absl::StrCat("\"", text.substr(0, 64), "\" is no fabric"),
      absl::StrCat(nearest.empty() ? "" : absl::StrCat("did you mean ", nearest, "? "), "use ", FewNames(names)));
}

std::string FabricText(Fabric fabric) {
  switch (fabric) {
    case Fabric::kRailOptimised:
      return "rail-optimised";
    case Fabric::kRailOnly:
      return "rail-only";
    default:
      return "any";
  }
}

}  // namespace muster
