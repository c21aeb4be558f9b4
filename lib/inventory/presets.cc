#include "lib/inventory/presets.h"

#include <algorithm>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace muster::inventory {
namespace {

constexpr char kHostname[] = "kubernetes.io/hostname";
constexpr char kZone[] = "topology.kubernetes.io/zone";
constexpr char kRegion[] = "topology.kubernetes.io/region";
// Of the NVIDIA GPU operator: "<cluster uuid>.<clique>". Absent where there is no NVLink between nodes.
constexpr char kClique[] = "nvidia.com/gpu.clique";

// Keys that clouds have in common and that therefore say nothing of the cloud.
bool IsCommon(const std::string& label) { return label == kZone || label == kRegion || label == kHostname; }

bool Has(const Labels& labels, const std::string& key) {
  const auto found = labels.find(key);
  return found != labels.end() && !found->second.empty();
}

// The numbers of the family's levels that some node has, coarse to fine.
std::vector<int> NumbersOf(const Preset& preset, const std::vector<Labels>& nodes) {
  std::set<int> numbers;
  if (preset.numbered_prefix.empty()) return {};
  for (const Labels& labels : nodes) {
    for (auto at = labels.lower_bound(preset.numbered_prefix); at != labels.end(); ++at) {
      absl::string_view number = at->first;
      if (!absl::ConsumePrefix(&number, preset.numbered_prefix)) break;
      int value = 0;
      if (number.size() <= 2 && absl::SimpleAtoi(number, &value) && value >= 0) numbers.insert(value);
    }
  }
  std::vector<int> sorted(numbers.begin(), numbers.end());
  if (!preset.rising) std::reverse(sorted.begin(), sorted.end());
  return sorted;
}

std::vector<Preset> MakePresets() {
  return {
      {"topograph",
       "Topograph 1.0 and newer",
       {},
       {kHostname},
       {"accelerator.topograph.run/domain", "accelerator.topograph.run/sub-domain"},
       "fabric.topograph.run/tier-",
       false},
      {"topograph_old",
       "Topograph before 1.0",
       {{"core", "network.topology.nvidia.com/core"},
        {"spine", "network.topology.nvidia.com/spine"},
        {"leaf", "network.topology.nvidia.com/leaf"}},
       {kHostname},
       {"network.topology.nvidia.com/accelerator"},
       "",
       false},
      {"topograph_oldest",
       "Topograph's first keys",
       {{"datacenter", "network.topology.nvidia.com/datacenter"},
        {"spine", "network.topology.nvidia.com/spine"},
        {"block", "network.topology.nvidia.com/block"}},
       {kHostname},
       {"network.topology.nvidia.com/accelerator"},
       "",
       false},
      {"gke",
       "Google GKE from 1.31",
       {{"block", "cloud.google.com/gce-topology-block"}, {"subblock", "cloud.google.com/gce-topology-subblock"}},
       {"cloud.google.com/gce-topology-host", kHostname},
       {kClique},
       "",
       false},
      {"gke_old",
       "Google GKE before 1.31",
       {{"cluster", "topology.gke.io/cluster"}, {"rack", "topology.gke.io/rack"}},
       {"topology.gke.io/host", kHostname},
       {},
       "",
       false},
      {"eks",
       "Amazon EKS",
       {{"zone", kZone}},
       {kHostname},
       {"topology.k8s.aws/ultraserver-id", kClique},
       "topology.k8s.aws/network-node-layer-",
       true},
      {"oke",
       "Oracle OKE with RDMA",
       {{"hpc_island", "oci.oraclecloud.com/rdma.hpc_island_id"},
        {"network_block", "oci.oraclecloud.com/rdma.network_block_id"},
        {"local_block", "oci.oraclecloud.com/rdma.local_block_id"}},
       {kHostname},
       {kClique},
       "",
       false},
      {"oke_host",
       "Oracle OKE without RDMA",
       {{"network_block", "oci.oraclecloud.com/host.network_block_id"}, {"rack", "oci.oraclecloud.com/host.rack_id"}},
       {kHostname},
       {kClique},
       "",
       false},
      {"coreweave",
       "CoreWeave CKS",
       {{"fabric", "backend.coreweave.cloud/fabric"},
        {"superpod", "backend.coreweave.cloud/superpod"},
        {"leafgroup", "backend.coreweave.cloud/leafgroup"}},
       {kHostname},
       {"ds.coreweave.com/nvlink.domain", kClique},
       "",
       false},
      {"coreweave_ib",
       "CoreWeave's InfiniBand keys",
       {{"fabric", "ib.coreweave.cloud/fabric"},
        {"superpod", "ib.coreweave.cloud/superpod"},
        {"leafgroup", "ib.coreweave.cloud/leafgroup"}},
       {kHostname},
       {kClique},
       "",
       false},
      {"aks_labeler",
       "Azure AKS with the InfiniBand node labeler",
       {{"pkey", "ib/pkey"}, {"torset", "ib/torset"}},
       {kHostname},
       {kClique},
       "",
       false},
      {"nebius",
       "Nebius",
       {{"cluster", "topology.nebius.com/gpu-cluster-id"},
        {"tier-3", "topology.nebius.com/tier-3"},
        {"tier-2", "topology.nebius.com/tier-2"},
        {"tier-1", "topology.nebius.com/tier-1"}},
       {kHostname},
       {"topology.nebius.com/nvl-instance-group-id", "topology.nebius.com/tier-0", kClique},
       "",
       false},
      {"crusoe",
       "Crusoe",
       {{"partition", "crusoe.ai/ib.partition.id"}, {"pod", "crusoe.ai/pod.id"}},
       {kHostname},
       {kClique},
       "",
       false},
      {"generic", "Kubernetes' own labels", {{"region", kRegion}, {"zone", kZone}}, {kHostname}, {kClique}, "", false},
  };
}

}  // namespace

const std::vector<Preset>& Presets() {
  static const auto& presets = *new std::vector<Preset>(MakePresets());
  return presets;
}

const Preset* FindPreset(absl::string_view name) {
  for (const Preset& preset : Presets()) {
    if (preset.name == name) return &preset;
  }
  return nullptr;
}

const Preset& DetectPreset(const std::vector<Labels>& nodes) {
  const Preset* best = &Presets().back();
  int64_t most = 0;
  for (const Preset& preset : Presets()) {
    std::vector<Tier> own = TiersOf(preset, nodes);
    own.erase(std::remove_if(own.begin(), own.end(), [](const Tier& tier) { return IsCommon(tier.label); }), own.end());
    // Labels that are there, over all levels: of two presets with a key in common the one with more levels wins.
    int64_t found = 0;
    for (const Labels& labels : nodes) {
      for (const Tier& tier : own) found += Has(labels, tier.label) ? 1 : 0;
    }
    if (found <= most) continue;
    best = &preset;
    most = found;
  }
  return *best;
}

std::vector<Tier> TiersOf(const Preset& preset, const std::vector<Labels>& nodes) {
  std::vector<Tier> tiers = preset.tiers;
  for (const int number : NumbersOf(preset, nodes)) {
    const std::string label = absl::StrCat(preset.numbered_prefix, number);
    absl::string_view name = absl::string_view(label).substr(label.rfind('/') + 1);
    absl::ConsumePrefix(&name, "network-node-");
    tiers.push_back({std::string(name), label});
  }
  // The coarsest say least.
  if (tiers.size() > kMaxTiers) tiers.erase(tiers.begin(), tiers.end() - kMaxTiers);
  return tiers;
}

std::string AcceleratorLabelOf(const Preset& preset, const std::vector<Labels>& nodes) {
  for (const std::string& key : preset.accelerator_labels) {
    if (std::any_of(nodes.begin(), nodes.end(), [&](const Labels& labels) { return Has(labels, key); })) return key;
  }
  return "";
}

}  // namespace muster::inventory
