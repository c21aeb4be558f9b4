#pragma once
// Things that tests show.

#include "client/cli/harness.h"
#include "google/protobuf/text_format.h"

namespace muster::cli {

template <typename T>
T Parsed(const std::string& text) {
  T message;
  if (!google::protobuf::TextFormat::ParseFromString(text, &message)) message.Clear();
  return message;
}

// The 64-GPU example on eight nodes of two racks: node rank i on the node of that place.
inline v1::Placement SeedPlacement() {
  v1::Placement placement = Parsed<v1::Placement>(R"pb(
    digest: "d1"
    tiers: "block"
    tiers: "rack"
    cost: 3600
    lower_bound: 3600
    bound_known: true
    name_order_cost: 9504
    reason: "placed on 8 of the 10 free nodes of block b1, the lowest domain that fits"
    crossings {
      family: "tp"
      groups: 16
      group_size: 4
      groups_in_node: 16
      edges: 64
      tiers { tier: "block" }
      tiers { tier: "rack" }
    }
    crossings {
      family: "dp_cp"
      groups: 8
      group_size: 8
      groups_in_node: 0
      edges: 64
      tiers { tier: "block" }
      tiers { tier: "rack" crossing_groups: 8 crossing_edges: 16 }
    }
    crossings {
      family: "pp"
      groups: 32
      group_size: 2
      groups_in_node: 0
      edges: 32
      tiers { tier: "block" }
      tiers { tier: "rack" }
    })pb");
  const char* nodes[][2] = {{"gpu-a01", "r1"}, {"gpu-a02", "r1"}, {"gpu-b01", "r2"}, {"gpu-b02", "r2"},
                            {"gpu-a03", "r1"}, {"gpu-a04", "r1"}, {"gpu-b03", "r2"}, {"gpu-b04", "r2"}};
  for (const auto& [name, rack] : nodes) {
    v1::PlacedNode& node = *placement.add_ranks();
    node.set_node(name);
    node.add_topology_path("b1");
    node.add_topology_path(rack);
    node.set_pod_index(-1);
  }
  return placement;
}

inline v1::JobSpec SeedSpec() {
  return Parsed<v1::JobSpec>(R"pb(
    members: 8
    workers_per_member: 8
    mesh {
      dialect: "megatron"
      order: "tp-cp-ep-dp-pp"
      axes { name: "tp" size: 4 }
      axes { name: "cp" size: 2 }
      axes { name: "dp" size: 4 }
      axes { name: "pp" size: 2 }
    })pb");
}

inline v1::Job RunningJob() {
  v1::Job job = Parsed<v1::Job>(R"pb(
    uid: "job-00000000000000a1"
    namespace: "team-a"
    name: "llama"
    phase: RUNNING
    why: "all 8 members released"
    epoch: 1
    receipt_id: "rcp-7f3a")pb");
  *job.mutable_spec() = SeedSpec();
  *job.mutable_placement() = SeedPlacement();
  *job.mutable_submitted() = Before(100);
  *job.mutable_phase_since() = Before(41);
  for (int i = 0; i < 8; ++i) {
    v1::MemberStatus& member = *job.add_members();
    member.set_pod_index(7 - i);
    member.set_node_rank(i);
    member.set_present(i != 3);
    job.mutable_placement()->mutable_ranks(i)->set_pod_index(7 - i);
  }
  return job;
}

inline v1::Receipt FailedReceipt() {
  v1::Receipt receipt = Parsed<v1::Receipt>(R"pb(
    id: "rcp-7f3b"
    namespace: "team-a"
    job: "llama-70b"
    attempt: 1
    verdict: FAIL
    trigger: "preflight"
    members: 32
    workers_per_member: 8
    backend: "nccl"
    placement_digest: "d2"
    mesh {
      axes { name: "tp" size: 8 }
      axes { name: "dp" size: 8 }
      axes { name: "pp" size: 4 }
    }
    families {
      family: "tp"
      collective: ALL_REDUCE
      bytes: 1073741824
      groups: 32
      group_size: 8
      measured: true
      slowest_gbps: 458.2
      median_gbps: 461
      floor_gbps: 400
      verdict: PASS
    }
    families {
      family: "dp_cp"
      collective: REDUCE_SCATTER
      bytes: 1073741824
      groups: 32
      group_size: 8
      measured: true
      slowest_gbps: 23.1
      median_gbps: 47.6
      floor_gbps: 40
      failed_groups: 1
      verdict: FAIL
    }
    families {
      family: "pp"
      collective: SEND_RECV
      bytes: 16777216
      groups: 64
      group_size: 4
      measured: true
      slowest_gbps: 22.8
      median_gbps: 46.9
      wrong_elements: 12
      failed_groups: 1
      verdict: FAIL
    }
    groups {
      family: "dp_cp"
      collective: REDUCE_SCATTER
      group_index: 3
      ranks_head: [ 3, 11, 19, 27, 35, 43, 51, 59 ]
      size: 8
      measured: true
      busbw_gbps: 23.1
      verdict: FAIL
      why: "0.49 of the median of its 31 siblings"
    }
    groups {
      family: "tp"
      collective: ALL_REDUCE
      group_index: 0
      ranks_head: [ 0, 1 ]
      size: 8
      verdict: PASS
    }
    accused {
      kind: NIC
      node: "gpu-c07"
      part: "mlx5_3"
      confidence: HIGH
      evidence: "the dp_cp group on rail 3 with gpu-c07: 23.1; the other 31 groups: 47.1–48.0"
    }
    actions: "gpu-c07 quarantined until 14:05; its rank given to gpu-d14"
    annotations { key: "tokens_per_second" value: "41000" }
    nodes {
      node: "gpu-c07"
      boot_id: "b-7"
      facts { key: "backend_version" value: "2.27.3" }
    })pb");
  *receipt.mutable_started() = Before(120);
  *receipt.mutable_finished() = Before(62);
  return receipt;
}

inline v1::Node SampleNode(const std::string& name) {
  v1::Node node = Parsed<v1::Node>(R"pb(
    info {
      uid: "u-1"
      address: "10.0.3.11"
      agent_version: "0.1.0"
      backends: "gloo"
      allow_launch: true
      capacity { key: "gpu" value: 8 }
      labels { key: "topology.example.com/rack" value: "r1" }
      accelerators { index: 0 kind: "cpu" uuid: "acc-0" }
    }
    use: ASSIGNED
    job: "team-a/llama"
    condition: NODE_OK
    topology_path: "b1"
    topology_path: ""
    source: "agent")pb");
  node.mutable_info()->set_name(name);
  *node.mutable_last_seen() = Before(2);
  return node;
}

}  // namespace muster::cli
