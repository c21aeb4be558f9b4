#include "client/cli/command.h"

namespace muster::cli {
namespace {

// Enough for a slow disk under the coordinator; short enough to wait for.
constexpr absl::Duration kCallTimeout = absl::Seconds(15);

}  // namespace

Coordinator& Context::coordinator() {
  if (!connected) connected = connect(server, timeout.value_or(kCallTimeout));
  return *connected;
}

}  // namespace muster::cli
