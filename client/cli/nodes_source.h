#pragma once
// The nodes that a command line names by a file, for commands that can do without a coordinator.

#include <istream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "client/cli/flag_set.h"
#include "lib/inventory/inventory.h"
#include "lib/placement/cluster.h"
#include "lib/placement/first_chance.h"

namespace muster::cli {

struct NodesSource {
  std::string file, format, levels, fabric;
  std::vector<std::string> tolerations;
  std::vector<std::string> what_if;
  absl::optional<int64_t> gpus;

  // --nodes, --nodes-format, --levels, --tolerate, --gpus, --fabric and --what-if.
  void Declare(FlagSet& flags);
  bool given() const { return !file.empty(); }
  // Usage error: a flag about the file without the file.
  absl::Status Check() const;

  struct Read {
    placement::Cluster cluster;
    placement::Outlook outlook;
    std::vector<std::string> notes;  // what was taken how in the file
  };
  // Errors are AboutFile (exit_code.h). `gpus_needed` is what nodes of a file that says nothing of capacity are taken
  // to have where --gpus doesn't say.
  absl::StatusOr<Read> ReadNodes(std::istream& in, int64_t gpus_needed, absl::Time now) const;
};

}  // namespace muster::cli
