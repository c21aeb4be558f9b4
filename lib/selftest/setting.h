#pragma once
// What a self-test is of: one placement of one job. Everything that the rest of this room decides follows from it.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/ids.h"
#include "lib/mesh/mesh.h"
#include "proto/muster/v1/job.pb.h"
#include "proto/muster/v1/placement.pb.h"
#include "proto/muster/v1/selftest.pb.h"

namespace muster::selftest {

struct Setting {
  TestId test;
  // nullptr: a job without a mesh; its one family is `world`.
  std::shared_ptr<const mesh::Mesh> mesh;
  // Workers of the job, >= 1: global ranks FirstRank()..FirstRank()+world-1.
  int64_t world = 1;
  // >= 1 and divides world. Node rank = (global rank - FirstRank()) / workers_per_member.
  int32_t workers_per_member = 1;
  // Has one entry a node rank. Several node ranks may share a node.
  std::shared_ptr<const v1::Placement> placement;
  v1::SelfTestSpec spec;
  // Makes the payload.
  uint64_t seed = 0;
  // Passes of an earlier test that still hold here (see carry_over.h): not run again, but part of the outcome.
  std::vector<v1::GroupResult> carried;
  // What the last pass of this very placement measured; empty: none. `history_from` is its receipt.
  std::vector<v1::FamilyResult> history;
  std::string history_from;

  int64_t FirstRank() const { return mesh == nullptr ? 0 : mesh->first_rank(); }
  int32_t NodeRankOf(int64_t global_rank) const {
    return static_cast<int32_t>((global_rank - FirstRank()) / workers_per_member);
  }
};

}  // namespace muster::selftest
