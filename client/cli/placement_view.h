#pragma once
// A placement as people read it: who sits where, what crosses which tier, what that costs.

#include <string>

#include "client/cli/screen.h"
#include "lib/mesh/mesh.h"
#include "proto/muster/v1/job.pb.h"
#include "proto/muster/v1/placement.pb.h"

namespace muster::cli {

struct PlacementView {
  const v1::Placement& placement;
  int32_t workers_per_member = 1;
  // Coordinates of the axes that vary between nodes; null: none.
  const mesh::Mesh* mesh = nullptr;
  // Who is here and who has ended; null: not shown.
  const google::protobuf::RepeatedPtrField<v1::MemberStatus>* members = nullptr;
  // All node ranks; else at most 64 and a count.
  bool wide = false;
};

// One row a node rank; spares below.
void PrintPlacement(Screen& out, const PlacementView& view);

// One row a family: where its groups are, from inside a node to across the coarsest tier that any group crosses, and
// the edges that cross each. Nothing without families.
void PrintCrossings(Screen& out, const v1::Placement& placement);

// "cost 3,600 (optimal: equals the lower bound) · ranks in name order would cost 9,504 (2.64 ×)"; empty without cost.
std::string CostText(const v1::Placement& placement);

}  // namespace muster::cli
