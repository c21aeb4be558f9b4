#include "lib/inventory/inventory.h"

#include "absl/strings/str_cat.h"

namespace muster::inventory {

std::string LabelKey(absl::string_view level) { return absl::StrCat("topology.muster.dev/", level); }

}  // namespace muster::inventory
