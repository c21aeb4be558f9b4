#include "client/cli/nodes_source.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/cli/exit_code.h"
#include "client/cli/file_text.h"
#include "lib/base/errors.h"
#include "lib/base/proto_time.h"
#include "lib/inventory/read_inventory.h"
#include "lib/topology/fabric.h"

namespace muster::cli {
namespace {

constexpr int64_t kMaxGpus = 1'000'000;

}  // namespace

void NodesSource::Declare(FlagSet& flags) {
  flags.Text(&file, "nodes", "FILE",
             "the nodes, without a coordinator: kubectl's JSON or YAML, Slurm's topology.conf or topology.yaml, "
             "Topograph's, CSV or Muster's own; - is standard input");
  flags.Text(
      &format, "nodes-format", "NAME",
      absl::StrCat("of --nodes, where it isn't told from its text: ", absl::StrJoin(inventory::FormatNames(), ", ")));
  flags.Text(&levels, "levels", "KEYS", "label keys of the levels, coarse to fine, with commas; or a cloud's preset");
  flags.Texts(&tolerations, "tolerate", "KEY", "a taint with this key keeps nothing off a node");
  flags.Integer(&gpus, "gpus", "N", 1, kMaxGpus, "accelerators a node, where the file doesn't say");
  flags.Text(&fabric, "fabric", "NAME",
             "how rails are joined: any (the default), rail-optimised (another rail is one tier up) or rail-only "
             "(within nodes only)");
  flags.Texts(&what_if, "what-if", "CHANGE", "drain=NODES, readmit=NODES, end=NAMESPACE/NAME or add=NODES@DOMAIN");
}

absl::Status NodesSource::Check() const {
  if (given()) return absl::OkStatus();
  if (!format.empty() || !levels.empty() || !tolerations.empty() || !fabric.empty() || gpus) {
    return UsageError("--nodes-format, --levels, --tolerate, --fabric and --gpus are about --nodes",
                      "add --nodes FILE, or leave them out");
  }
  return absl::OkStatus();
}

absl::StatusOr<NodesSource::Read> NodesSource::ReadNodes(std::istream& in, int64_t gpus_needed, absl::Time now) const {
  inventory::ReadOptions options;
  options.tolerations = tolerations;
  if (!levels.empty()) options.levels = absl::StrSplit(levels, ',');
  if (!format.empty()) {
    options.format = inventory::FindFormat(format);
    if (!options.format) {
      const std::string nearest = NearestName(format, inventory::FormatNames());
      return UsageError(absl::StrCat("--nodes-format ", format, ": unknown",
                                     nearest.empty() ? "" : absl::StrCat("; did you mean \"", nearest, "\"?")),
                        absl::StrCat("formats: ", absl::StrJoin(inventory::FormatNames(), ", ")));
    }
  }
  const absl::StatusOr<std::string> text = ReadText(file, in, kMaxInventoryBytes);
  if (!text.ok()) return text.status();
  auto read = inventory::ReadInventory(*text, FileName(file), options);
  if (!read.ok()) return AboutFile(read.status());
  Read made;
  made.notes = read->notes;
  if (!read->has_capacity) {
    const int64_t each = gpus.value_or(gpus_needed);
    for (v1::Node& node : read->nodes) (*node.mutable_info()->mutable_capacity())["gpu"] = each;
    made.notes.push_back(absl::StrCat(FileName(file), " says nothing of accelerators: ", each, " a node are taken",
                                      gpus ? "" : " (--gpus)"));
  }
  if (!fabric.empty()) {
    const absl::StatusOr<Fabric> rails = FabricOf(fabric, "--fabric");
    if (!rails.ok()) return UsageError(rails.status().message());
    read->tiers.set_fabric(*rails);
  }
  auto cluster = placement::MakeCluster(read->tiers, read->nodes);
  if (!cluster.ok()) return AboutFile(cluster.status());
  made.cluster = *std::move(cluster);
  made.outlook.now = now;
  made.outlook.ends = read->ends;
  for (const v1::Node& node : read->nodes) {
    if (node.has_until()) made.outlook.heals[node.info().name()] = FromProto(node.until());
  }
  return made;
}

}  // namespace muster::cli
