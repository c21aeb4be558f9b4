#pragma once
// Any of the node files that Muster knows: what `muster plan --nodes FILE` reads.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "lib/inventory/inventory.h"

namespace muster::inventory {

// kMuster: tiers and nodes (lib/job/node_file.h). kKubernetes: kubectl's JSON or YAML (kubernetes.h). kSlurm:
// topology.conf (slurm_conf.h). kSlurmYaml: topology.yaml (slurm_yaml.h). kTopograph: its graph as JSON
// (topograph_graph.h). kCsv: csv.h.
enum class Format { kMuster, kKubernetes, kSlurm, kSlurmYaml, kTopograph, kCsv };

// "muster", "kubernetes", "slurm", "slurm-yaml", "topograph", "csv".
std::vector<std::string> FormatNames();
absl::optional<Format> FindFormat(absl::string_view name);

struct ReadOptions {
  absl::optional<Format> format = absl::nullopt;  // absent: told from the text
  // Label keys of the levels, coarse to fine, or the name of a preset; for node lists of Kubernetes.
  std::vector<std::string> levels = {};
  std::vector<std::string> tolerations = {};
};

// Accelerator domains that fit into the tree are a tier of it, "nvlink"; for others a note says that they cut across.
// So does a note say where a label value is under two parents, which makes two domains. INVALID_ARGUMENT as the
// parsers; above 64 MiB; and, naming what it begins with, where the format isn't clear.
absl::StatusOr<Inventory> ReadInventory(absl::string_view text, absl::string_view file, const ReadOptions& options);

}  // namespace muster::inventory
