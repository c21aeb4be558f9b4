#include "client/agent/backend.h"

#include "absl/strings/str_cat.h"

namespace muster::agent {

std::string GroupSpec::Name() const { return absl::StrCat(family, "/", index, "/"); }

}  // namespace muster::agent
