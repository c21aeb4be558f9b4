// Topology files of Slurm and node labels of clouds, against lib/inventory.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/inventory/host_list.h"
#include "lib/inventory/kubernetes.h"
#include "lib/inventory/presets.h"
#include "lib/inventory/slurm_conf.h"
#include "lib/inventory/slurm_topology.h"
#include "lib/inventory/slurm_yaml.h"
#include "lib/inventory/source_error.h"
#include "lib/job/json_tree.h"
#include "lib/job/yaml_tree.h"
#include "tests/conformance/peers.h"

namespace muster::conformance {
namespace {

using inventory::SlurmTopology;
using Topologies = std::vector<SlurmTopology>;

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(absl::StrCat(path, ": can't be opened"));
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

absl::StatusOr<Topologies> Parse(const Json& peer_case, const std::string& text) {
  if (peer_case.at("format") == "slurm_yaml") {
    const auto tree = ParseYaml(text, "file");
    if (!tree.ok()) return inventory::WithKind(tree.status(), "bad_yaml");
    return inventory::ReadSlurmYaml(*tree, "file");
  }
  std::vector<std::string> known;
  if (peer_case.at("known_nodes").is_string()) {
    known = *inventory::ExpandHostList(peer_case.at("known_nodes").get<std::string>(), 100'000);
  }
  auto topology = inventory::ParseSlurmConf(text, "file", known.empty() ? nullptr : &known);
  if (!topology.ok()) return topology.status();
  return Topologies{*std::move(topology)};
}

// Keeps the keys of `wanted`, so that what the case leaves out is not compared.
Json Only(const Json& all, const Json& wanted) {
  Json some = Json::object();
  for (const auto& [key, value] : wanted.items()) some[key] = all.contains(key) ? all[key] : Json();
  return some;
}

Json TreeOf(const SlurmTopology& topology, const Json& wanted) {
  Json tree;
  Json roots = Json::array();
  Json switches = Json::array();
  int64_t nodes = 0;
  int top = -1;
  for (const inventory::SlurmSwitch& one : topology.switches) {
    if (one.parent.empty()) roots.push_back(one.name);
    top = std::max(top, one.level);
    nodes += static_cast<int64_t>(one.nodes.size());
    switches.push_back({{"name", one.name},
                        {"level", one.level},
                        {"parent", one.parent.empty() ? Json() : Json(one.parent)},
                        {"children", one.children},
                        {"node_count", one.nodes.size()}});
  }
  tree["roots"] = roots;
  tree["levels"] = top + 1;
  tree["switches"] = switches;
  tree["node_count"] = nodes;
  tree["paths"] = Json::object();
  const Json paths = wanted.value("paths", Json::object());
  for (const auto& [node, path] : paths.items()) {
    tree["paths"][node] = inventory::SwitchPath(topology, node);
  }
  // What the sample is, not what is in it.
  tree["paths_complete"] = wanted.value("paths_complete", Json());
  if (wanted.value("paths_complete", false) && static_cast<int64_t>(tree["paths"].size()) != nodes) {
    tree["paths_complete"] = false;
  }
  return tree;
}

Json BlocksOf(const SlurmTopology& topology) {
  Json json;
  Json blocks = Json::array();
  std::vector<std::string> nodes;
  for (const inventory::SlurmBlock& block : topology.blocks) {
    blocks.push_back({{"name", block.name}, {"nodes", block.nodes}});
    nodes.insert(nodes.end(), block.nodes.begin(), block.nodes.end());
  }
  std::sort(nodes.begin(), nodes.end());
  Json aggregates = Json::array();
  for (const inventory::SlurmUnit& unit : inventory::UnitsOf(topology)) {
    aggregates.push_back({{"blocks_per_unit", unit.blocks_per_unit}, {"blocks", unit.blocks}});
  }
  json["base_size"] = topology.block_sizes.front();
  json["block_sizes"] = topology.block_sizes;
  json["configured_sizes"] = topology.configured_sizes.empty() ? Json() : Json(topology.configured_sizes);
  json["blocks"] = blocks;
  json["aggregates"] = aggregates;
  json["node_count"] = std::unique(nodes.begin(), nodes.end()) - nodes.begin();
  return json;
}

Json JsonOf(const SlurmTopology& topology, const Json& wanted) {
  Json json = topology.type == SlurmTopology::Type::kTree    ? TreeOf(topology, wanted)
              : topology.type == SlurmTopology::Type::kBlock ? BlocksOf(topology)
                                                             : Json::object();
  json["type"] = topology.type == SlurmTopology::Type::kTree    ? "tree"
                 : topology.type == SlurmTopology::Type::kBlock ? "block"
                                                                : "flat";
  json["name"] = topology.name.empty() ? Json() : Json(topology.name);
  json["cluster_default"] = topology.name.empty() ? Json() : Json(topology.cluster_default);
  return Only(json, wanted);
}

void CheckSlurm(const Json& peer_case, const std::string& text, PeerCase& result) {
  const Json& expected = peer_case.at("expected");
  const auto topologies = Parse(peer_case, text);
  const std::string kind = topologies.ok() ? "" : inventory::KindOf(topologies.status());
  if (!expected.at("ok").get<bool>()) {
    Json allowed = expected.value("error_alternatives", Json::array());
    allowed.push_back(expected.at("error"));
    if (std::find(allowed.begin(), allowed.end(), kind) != allowed.end()) return;
    result.differences.Add("error", absl::StrCat("is \"", kind, "\", not ", allowed.dump()));
    return;
  }
  if (!topologies.ok()) {
    // Support of rings is optional; the file says so.
    if (peer_case.at("optional").get<bool>() && kind == "unsupported_type") return;
    result.differences.Add("ok", std::string(topologies.status().message()));
    return;
  }
  const Json& wanted = expected.at("topologies");
  result.differences.Expect("topologies.count", wanted.size(), topologies->size());
  for (size_t i = 0; i < std::min(wanted.size(), topologies->size()); ++i) {
    const Json computed = JsonOf((*topologies)[i], wanted[i]);
    for (const auto& [key, value] : wanted[i].items()) {
      result.differences.Expect(absl::StrCat("topologies[", i, "].", key), value, computed.at(key));
    }
  }
}

void CheckLabels(const Json& peer_case, const std::string& text, PeerCase& result) {
  const Json& expected = peer_case.at("expected");
  const auto tree = ParseJson(text, "file", TreeLimits{.bytes = 1 << 20});
  if (!tree.ok()) return result.differences.Add("ok", std::string(tree.status().message()));
  const bool custom = peer_case.at("preset") == "custom";
  inventory::KubernetesOptions options;
  if (custom) options.levels = expected.at("levels").get<std::vector<std::string>>();
  const auto inventory = inventory::ReadKubernetes({*tree}, "file", options);
  if (!inventory.ok()) return result.differences.Add("ok", std::string(inventory.status().message()));
  std::vector<inventory::Labels> labels;
  for (const v1::Node& node : inventory->nodes) {
    labels.emplace_back(node.info().labels().begin(), node.info().labels().end());
  }
  const inventory::Preset& preset = inventory::DetectPreset(labels);
  inventory::LevelsFound found = inventory::LevelsOf(preset, labels);
  if (custom) found.labels = options.levels;
  // The presets are found by the labels alone.
  if (!custom) result.differences.Expect("preset", peer_case.at("preset"), preset.name);
  result.differences.Expect("levels", expected.at("levels"), Json(found.labels));
  result.differences.Expect("accelerator_key", expected.at("accelerator_key"),
                            found.accelerator_label.empty() ? Json() : Json(found.accelerator_label));
  Json nodes = Json::object();
  for (size_t i = 0; i < labels.size(); ++i) {
    const auto value = [&](const std::string& key) {
      const auto at = labels[i].find(key);
      return at == labels[i].end() || at->second.empty() ? Json() : Json(at->second);
    };
    Json path = Json::array();
    bool complete = true;
    for (const std::string& level : found.labels) {
      path.push_back(value(level));
      complete = complete && !path.back().is_null();
    }
    nodes[inventory->nodes[i].info().name()] = {
        {"path", path}, {"complete", complete}, {"accelerator", value(found.accelerator_label)}};
  }
  result.differences.Expect("nodes", expected.at("nodes"), nodes);
}

}  // namespace

void CheckTopologyFile(const Json& peer_case, const std::string& folder, PeerCase& result) {
  const std::string text = ReadText(folder + peer_case.at("file").get<std::string>());
  if (peer_case.at("format") == "node_labels") {
    CheckLabels(peer_case, text, result);
  } else {
    CheckSlurm(peer_case, text, result);
  }
}

}  // namespace muster::conformance
