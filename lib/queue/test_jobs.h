#pragma once
// Jobs and clusters for tests of the queue, in few words.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/placement/eligible.h"
#include "lib/placement/test_mesh.h"
#include "lib/queue/admit.h"
#include "lib/queue/demand.h"

namespace muster::queue {

inline const absl::Time kNow = absl::FromUnixSeconds(1'600'000'000);

struct Wish {
  int nodes = 1;
  int priority = 0;
  std::string rack = {};      // node selector
  std::string required = {};  // tier
  int spares = 0;
};

// `name` is "namespace/name".
inline placement::Request Wants(const std::string& name, const Wish& wish) {
  v1::JobSpec spec = placement::Job(wish.nodes, 8);
  spec.set_priority(wish.priority);
  if (!wish.rack.empty()) (*spec.mutable_placement()->mutable_node_selector())["rack"] = wish.rack;
  spec.mutable_placement()->set_required(wish.required);
  spec.mutable_placement()->set_spares(wish.spares);
  return placement::RequestOf(name, spec, nullptr).value();
}

inline Turn TurnOf(const placement::Request& request, int64_t submitted) {
  return {request.spec.priority(), kNow - absl::Hours(10) + absl::Minutes(submitted), submitted, JobUid(request.job),
          request.job.substr(0, request.job.find('/'))};
}

inline QueuedJob Queued(const placement::Request& request, int64_t submitted,
                        absl::Duration duration = absl::InfiniteDuration()) {
  return {TurnOf(request, submitted), &request, duration};
}

// Four nodes in rack r1, two in r2.
inline placement::Cluster Six() {
  return placement::ClusterOf({"rack"},
                              {{{"r1"}, placement::NodeNames("a", 4)}, {{"r2"}, placement::NodeNames("b", 2)}});
}

// A job that has had these nodes for `age`; takes them from the cluster.
inline Holder Holds(const placement::Request& request, const std::vector<std::string>& nodes, absl::Duration age,
                    absl::Duration left, placement::Cluster& cluster) {
  Holder holder;
  holder.turn = TurnOf(request, -1'000);
  holder.job = request.job;
  holder.request = &request;
  holder.since = kNow - age;
  holder.ends = kNow + left;
  for (const std::string& name : nodes) {
    holder.nodes.push_back(*cluster.topology->Find(name));
    cluster.state_of(holder.nodes.back()).free = false;
    cluster.state_of(holder.nodes.back()).holder = request.job;
  }
  return holder;
}

inline Demand DemandOf(const placement::Request& request, const placement::Cluster& cluster) {
  return Demand(request, cluster, std::make_shared<const NodeSet>(placement::EligibleNodes(request, cluster)));
}

}  // namespace muster::queue
