#include "lib/inventory/read_inventory.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "lib/inventory/csv.h"
#include "lib/inventory/kubernetes.h"
#include "lib/inventory/slurm_conf.h"
#include "lib/inventory/slurm_yaml.h"
#include "lib/inventory/source_error.h"
#include "lib/inventory/topograph_graph.h"
#include "lib/inventory/tree_values.h"
#include "lib/job/json_tree.h"
#include "lib/job/node_file.h"
#include "lib/topology/accelerators.h"
#include "lib/topology/topology.h"

namespace muster::inventory {
namespace {

constexpr size_t kMaxBytes = 64 << 20;
constexpr size_t kMaxValues = 4'000'000;

struct NamedFormat {
  const char* name;
  Format format;
};
constexpr NamedFormat kFormats[] = {{"muster", Format::kMuster},       {"kubernetes", Format::kKubernetes},
                                    {"slurm", Format::kSlurm},         {"slurm-yaml", Format::kSlurmYaml},
                                    {"topograph", Format::kTopograph}, {"csv", Format::kCsv}};

// The first line that says something: no comment, not empty.
absl::string_view FirstLine(absl::string_view text) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const absl::string_view line = absl::StripAsciiWhitespace(text.substr(0, end));
    if (!line.empty() && line[0] != '#') return line;
    text.remove_prefix(end == absl::string_view::npos ? text.size() : end + 1);
  }
  return text;
}

// Formats that are no documents, by their first line.
absl::optional<Format> LineFormat(absl::string_view line) {
  const std::string lower = absl::AsciiStrToLower(line.substr(0, 256));
  if (absl::StartsWith(lower, "switchname=") || absl::StartsWith(lower, "blockname=") ||
      absl::StartsWith(lower, "blocksizes=")) {
    return Format::kSlurm;
  }
  const bool document = absl::StartsWith(line, "{") || absl::StartsWith(line, "[") || absl::StartsWith(line, "-") ||
                        line.find(": ") != absl::string_view::npos || absl::EndsWith(line, ":");
  if (!document && line.find_first_of(",;\t") != absl::string_view::npos) return Format::kCsv;
  return absl::nullopt;
}

absl::StatusOr<std::vector<YamlNode>> ParseDocuments(absl::string_view text, absl::string_view file) {
  TreeLimits limits;
  limits.bytes = kMaxBytes;
  limits.values = kMaxValues;
  limits.left_out = UnneededKeys();
  const absl::string_view begin = absl::StripLeadingAsciiWhitespace(text);
  // Several JSON objects behind each other, as yq and shell loops write them, are YAML documents only with "---".
  if (absl::StartsWith(begin, "{") || absl::StartsWith(begin, "[")) {
    auto tree = ParseJson(text, file, limits);
    if (!tree.ok()) return WithKind(tree.status(), "bad_yaml");
    return std::vector<YamlNode>{*std::move(tree)};
  }
  auto trees = ParseYamlDocuments(text, file, limits);
  if (!trees.ok()) return WithKind(trees.status(), "bad_yaml");
  return trees;
}

Format DocumentFormat(const std::vector<YamlNode>& documents) {
  for (const YamlNode& document : documents) {
    if (IsKubernetes(document) || FindValue(document, "data") != nullptr) return Format::kKubernetes;
    if (IsSlurmYaml(document)) return Format::kSlurmYaml;
    if (IsTopographGraph(document)) return Format::kTopograph;
  }
  return Format::kMuster;
}

absl::StatusOr<Inventory> FromMuster(absl::string_view text, absl::string_view file) {
  auto nodes = ParseNodeFile(text, file);
  if (!nodes.ok()) return nodes.status();
  Inventory inventory;
  inventory.tiers = nodes->tiers;
  for (const v1::Node& node : nodes->nodes) {
    inventory.has_capacity |= node.info().capacity_size() > 0 || node.info().accelerators_size() > 0;
    inventory.nodes.push_back(node);
  }
  return inventory;
}

// A ConfigMap whose data is a topology file, as Topograph and Slinky keep it; nullptr: none.
const YamlNode* TopologyInConfigMap(const std::vector<YamlNode>& documents, bool& yaml) {
  for (const YamlNode& document : documents) {
    for (const char* key : {"topology.conf", "topology.yaml"}) {
      const YamlNode* data = FindPath(document, {"data", key});
      if (data == nullptr) continue;
      yaml = absl::EndsWith(key, ".yaml");
      return data;
    }
  }
  return nullptr;
}

absl::StatusOr<Inventory> FromSlurmYaml(const std::vector<YamlNode>& documents, absl::string_view file) {
  if (documents.size() != 1) {
    return SourceError("bad_yaml", file, documents.size() > 1 ? documents[1].line : 0, "there must be one document",
                       "write all topologies as one list");
  }
  auto topologies = ReadSlurmYaml(documents[0], file);
  if (!topologies.ok()) return topologies.status();
  return InventoryOf(*topologies, file);
}

absl::StatusOr<Inventory> FromKubernetes(const std::vector<YamlNode>& documents, absl::string_view file,
                                         const ReadOptions& options) {
  bool yaml = false;
  if (const YamlNode* data = TopologyInConfigMap(documents, yaml)) {
    const std::string inside =
        absl::StrCat(file, " (", yaml ? "topology.yaml" : "topology.conf", " in line ", data->line, ")");
    if (!yaml) {
      auto topology = ParseSlurmConf(data->text, inside);
      if (!topology.ok()) return topology.status();
      return InventoryOf(*topology, inside);
    }
    auto trees = ParseDocuments(data->text, inside);
    if (!trees.ok()) return trees.status();
    return FromSlurmYaml(*trees, inside);
  }
  KubernetesOptions kubernetes;
  kubernetes.levels = options.levels;
  kubernetes.tolerations = options.tolerations;
  if (options.levels.size() == 1 && FindPreset(options.levels[0]) != nullptr) {
    kubernetes.preset = options.levels[0];
    kubernetes.levels.clear();
  }
  return ReadKubernetes(documents, file, kubernetes);
}

absl::StatusOr<Inventory> Parse(absl::string_view text, absl::string_view file, const ReadOptions& options) {
  if (text.size() > kMaxBytes) {
    return SourceError("too_long", file, 0, absl::StrCat("the file has ", text.size(), " bytes"),
                       absl::StrCat("at most ", kMaxBytes, " are read; a CSV of the labels that matter is smaller"));
  }
  const absl::string_view first = FirstLine(text);
  if (first.empty()) {
    return SourceError("empty", file, 0, "the file is empty",
                       absl::StrCat("known formats: ", FewNames(FormatNames(), 8)));
  }
  absl::optional<Format> format = options.format ? options.format : LineFormat(first);
  if (format == Format::kSlurm) {
    auto topology = ParseSlurmConf(text, file);
    if (!topology.ok()) return topology.status();
    return InventoryOf(*topology, file);
  }
  if (format == Format::kCsv) return ParseCsv(text, file);
  if (format == Format::kMuster) return FromMuster(text, file);
  auto documents = ParseDocuments(text, file);
  if (!documents.ok()) return documents.status();
  if (!format) format = DocumentFormat(*documents);
  switch (*format) {
    case Format::kKubernetes:
      return FromKubernetes(*documents, file, options);
    case Format::kSlurmYaml:
      return FromSlurmYaml(*documents, file);
    case Format::kTopograph:
      if (documents->size() != 1 || !IsTopographGraph((*documents)[0])) {
        return SourceError("bad_value", file, 1, "there are no instances",
                           "Topograph's graph is {\"instances\": […]}; its topology.conf is format slurm");
      }
      return ReadTopographGraph((*documents)[0], file);
    default:
      return FromMuster(text, file);
  }
}

// Domains whose last label is found under several parents, tier by tier.
void NoteRepeatedValues(const Topology& topology, Inventory& inventory) {
  for (size_t tier = 1; tier < topology.tiers().size(); ++tier) {
    std::map<std::string, int> count;
    for (const DomainIndex domain : topology.DomainsOfTier(static_cast<int>(tier))) {
      const std::string& path = topology.domain(domain).path;
      ++count[path.substr(path.rfind('/') + 1)];
    }
    std::vector<std::string> repeated;
    for (const auto& [value, times] : count) {
      if (times > 1) repeated.push_back(absl::StrCat(value, " (", times, " times)"));
    }
    if (repeated.empty()) continue;
    inventory.notes.push_back(absl::StrCat(
        inventory.tiers[tier].name, " values under several parents are domains of their own: ", FewNames(repeated)));
  }
}

// Whether each accelerator domain is all of a domain of the tier.
bool SameAs(const Topology& topology, size_t tier) {
  for (const AcceleratorDomain& domain : AcceleratorDomainsOf(topology)) {
    const auto above = topology.DomainOf(domain.nodes.front(), static_cast<int>(tier));
    if (!above || topology.domain(*above).size() != static_cast<int32_t>(domain.nodes.size())) return false;
  }
  return true;
}

absl::Status AddAcceleratorTier(absl::string_view file, Inventory& inventory) {
  std::vector<TopologyNode> places;
  for (const v1::Node& node : inventory.nodes) {
    TopologyNode place{node.info().name(), PathOf(node.info().labels(), inventory.tiers)};
    const auto domain = node.info().labels().find(inventory.accelerator_label);
    if (domain != node.info().labels().end()) place.accelerator = domain->second;
    places.push_back(std::move(place));
  }
  const auto topology = Topology::Create(inventory.tiers, std::move(places));
  if (!topology.ok()) return AtLine(topology.status(), file, 0);
  NoteRepeatedValues(**topology, inventory);
  if (inventory.accelerator_label.empty() || inventory.tiers.Find(inventory.accelerator_label)) return absl::OkStatus();
  const absl::optional<size_t> at = NestingTier(**topology);
  if (!at || inventory.tiers.size() == kMaxTiers || inventory.tiers.Find("nvlink")) {
    inventory.notes.push_back(absl::StrCat("accelerator domains (", inventory.accelerator_label,
                                           ") cut across the network's and are not a tier"));
    return absl::OkStatus();
  }
  if (*at > 0 && SameAs(**topology, *at - 1)) {
    inventory.notes.push_back(absl::StrCat("accelerator domains (", inventory.accelerator_label, ") are those of tier ",
                                           inventory.tiers[*at - 1].name));
    return absl::OkStatus();
  }
  std::vector<Tier> tiers;
  for (size_t i = 0; i <= inventory.tiers.size(); ++i) {
    if (i == *at) tiers.push_back({"nvlink", inventory.accelerator_label});
    if (i < inventory.tiers.size()) tiers.push_back(inventory.tiers[i]);
  }
  auto made = Tiers::Create(std::move(tiers));
  if (!made.ok()) return AtLine(made.status(), file, 0);
  inventory.tiers = *std::move(made);
  return absl::OkStatus();
}

}  // namespace

std::vector<std::string> FormatNames() {
  std::vector<std::string> names;
  for (const NamedFormat& format : kFormats) names.push_back(format.name);
  return names;
}

absl::optional<Format> FindFormat(absl::string_view name) {
  for (const NamedFormat& format : kFormats) {
    if (name == format.name) return format.format;
  }
  return absl::nullopt;
}

absl::StatusOr<Inventory> ReadInventory(absl::string_view text, absl::string_view file, const ReadOptions& options) {
  auto inventory = Parse(text, file, options);
  if (!inventory.ok()) return inventory.status();
  if (absl::Status status = AddAcceleratorTier(file, *inventory); !status.ok()) return status;
  return inventory;
}

}  // namespace muster::inventory
