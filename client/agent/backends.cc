#include "client/agent/backends.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/agent/gloo_backend.h"
#include "client/agent/simulated_backend.h"
#include "lib/selftest/error_kind.h"

namespace muster::agent {

absl::StatusOr<std::unique_ptr<Backend>> MakeBackend(const ChildOrder& order) {
  const std::string& name = order.plan().backend();
  if (name == "gloo") return MakeGlooBackend(order.address());
  if (name == "simulated") return MakeSimulatedBackend(order.node(), order.faults(), order.plan().seed());
  return absl::NotFoundError(absl::StrCat(selftest::kConfigError, "backend '", name,
                                          "' is not built in; this agent has ",
                                          absl::StrJoin(BackendNames(), " and ")));
}

std::vector<std::string> BackendNames() { return {"gloo", "simulated"}; }

}  // namespace muster::agent
