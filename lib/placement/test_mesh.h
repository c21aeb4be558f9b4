#pragma once
// Meshes, clusters and requests for tests, in few words.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/mesh/make_mesh.h"
#include "lib/placement/cluster.h"
#include "lib/placement/request.h"

namespace muster::placement {

struct Degrees {
  int64_t tp = 1, cp = 1, pp = 1, ep = 1;
  int64_t etp = 0;  // 0: as tp
};

inline std::shared_ptr<const mesh::Mesh> MegatronMesh(const Degrees& degrees, int64_t world) {
  mesh::MegatronSpec spec;
  spec.tp = degrees.tp;
  spec.cp = degrees.cp;
  spec.pp = degrees.pp;
  spec.ep = degrees.ep;
  if (degrees.etp > 0) spec.etp = degrees.etp;
  return mesh::MakeMesh({mesh::Compat::kCareful, spec}, world).value();
}

// A torch mesh, axes slowest first.
inline std::shared_ptr<const mesh::Mesh> TorchMesh(std::vector<mesh::Axis> axes) {
  int64_t world = 1;
  for (const mesh::Axis& axis : axes) world *= axis.size;
  mesh::TorchSpec spec;
  spec.dims = std::move(axes);
  return mesh::MakeMesh({mesh::Compat::kCareful, spec}, world).value();
}

inline v1::JobSpec Job(int32_t members, int32_t workers) {
  v1::JobSpec spec;
  spec.set_members(members);
  spec.set_workers_per_member(workers);
  return spec;
}

struct NodeGroup {
  std::vector<std::string> labels;  // one a tier
  std::vector<std::string> names;
  int64_t gpus = 8;
  std::vector<std::string> busy = {};
};

inline Cluster ClusterOf(const std::vector<std::string>& tiers, const std::vector<NodeGroup>& groups) {
  std::vector<v1::Node> nodes;
  for (const NodeGroup& group : groups) {
    for (const std::string& name : group.names) {
      v1::Node node;
      node.mutable_info()->set_name(name);
      (*node.mutable_info()->mutable_capacity())["gpu"] = group.gpus;
      for (size_t i = 0; i < tiers.size(); ++i) {
        if (!group.labels[i].empty()) (*node.mutable_info()->mutable_labels())[tiers[i]] = group.labels[i];
      }
      for (const std::string& busy : group.busy) {
        if (busy == name) node.set_use(v1::ASSIGNED);
      }
      nodes.push_back(node);
    }
  }
  return MakeCluster(Tiers::FromLabels(tiers).value(), nodes).value();
}

inline std::vector<std::string> NodeNames(const std::string& prefix, int count) {
  std::vector<std::string> names;
  for (int i = 1; i <= count; ++i) names.push_back(prefix + std::to_string(i));
  return names;
}

}  // namespace muster::placement
