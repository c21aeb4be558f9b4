#pragma once
// DeepSpeed's expert groups, and its pair of tensor and data groups. Source: deepspeed/utils/groups.py.
//
// The stage's ranks (or each tensor index's data ranks) are listed in some order; blocks of the expert degree are the
// expert groups, equal places of the blocks the expert data groups. Members ascend in the list, not always in rank.

#include <cstdint>

#include "absl/status/statusor.h"
#include "lib/mesh/compat.h"
#include "lib/mesh/deepspeed_spec.h"
#include "lib/mesh/family.h"
#include "lib/mesh/grid.h"

namespace muster::mesh {

struct ExpertRequest {
  int64_t world = 1;
  int64_t tp = 1;  // tensor (kModelData, kTensor) or sequence (kSequence) ways inside a stage
  int64_t ep = 1;
  int64_t pp = 1;
  ExpertMode mode = ExpertMode::kModelData;
  bool data_before_expert = false;
};

enum class ExpertCreation {
  kExpertThenData,          // all of ep, then all of edp
  kDataThenExpert,          // all of edp, then all of ep
  kPerStageExpertThenData,  // stage by stage
};

struct ExpertFamilies {
  Family ep;
  Family edp;
  ExpertCreation creation = ExpertCreation::kExpertThenData;
  // Axes model (kModelData only), ep, edp and pipe. Where groups do not tile the world (upstream, uneven degrees): no
  // axes.
  Grid grid;
};

// kModelData: refused with "tp_pp_divides_world", "ep_divides_dp". kTensor and kSequence: "ep_divides_stage",
// "data_before_expert_needs_mp1"; careful also "tp_pp_divides_world", and "ep_divides_dp" where a block would cross a
// tensor index, which upstream does not notice. "degree_out_of_range" for degrees below 1; pp has to divide the world
// in any mode.
absl::StatusOr<ExpertFamilies> MakeExpertFamilies(const ExpertRequest& request, Compat compat);

struct TensorDataFamilies {
  // In creation order.
  Family dp;
  Family tp;
};

// Data groups r, r+tp, ... and blocks of tp. dp < 0: world / tp. Refused: "tp_divides_world",
// "tp_times_dp_equals_world".
absl::StatusOr<TensorDataFamilies> MakeTensorDataFamilies(int64_t world, int64_t tp, int64_t dp);

}  // namespace muster::mesh
