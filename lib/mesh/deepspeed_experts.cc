#include "lib/mesh/deepspeed_experts.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

absl::Status CheckDegree(absl::string_view name, int64_t degree) {
  if (degree >= 1) return absl::OkStatus();
  return Refuse("degree_out_of_range", absl::StrCat(name, ": ", degree, " is not at least 1"));
}

// Refuses unless `divisor` divides `whole`; `what` says what `whole` counts.
absl::Status CheckDivides(absl::string_view rule, absl::string_view name, int64_t divisor, absl::string_view what,
                          int64_t whole) {
  if (whole % divisor == 0) return absl::OkStatus();
  return Refuse(rule, absl::StrCat(name, ": ", divisor, " does not divide the ", whole, " ", what, " (",
                                   whole % divisor, " would be left over)"));
}

absl::Status CheckStages(const ExpertRequest& request) {
  const bool fits = request.tp <= request.world / request.pp;  // their product does not overflow
  if (fits && request.world % (request.tp * request.pp) == 0) return absl::OkStatus();
  return Refuse("tp_pp_divides_world", absl::StrCat("world: ", request.world, " is not divisible by model ", request.tp,
                                                    " times pipe ", request.pp));
}

absl::Status CheckDegrees(const ExpertRequest& request) {
  for (const auto& [name, degree] : {std::pair<absl::string_view, int64_t>{"world", request.world},
                                     {"model", request.tp},
                                     {"expert_parallel_size", request.ep},
                                     {"pipe", request.pp}}) {
    if (absl::Status status = CheckDegree(name, degree); !status.ok()) return status;
  }
  return CheckDivides("tp_pp_divides_world", "pipe", request.pp, "ranks", request.world);
}

// The families of lists that the parent's groups are: blocks of `ep`, and equal places across the blocks.
ExpertFamilies Deal(const StridedLayout& lists, int64_t ep) {
  const int64_t blocks = CountOf(lists.inner) / ep;
  return {.ep = Family("ep", Blocks(lists, blocks)),
          .edp = Family("edp", AcrossBlocks(lists, blocks)),
          .creation = ExpertCreation::kExpertThenData,
          .grid = Grid()};
}

// Along the data ranks of each stage and tensor index.
absl::StatusOr<ExpertFamilies> AlongData(const ExpertRequest& request) {
  const auto [world, tp, ep, pp, mode, data_first] = request;
  if (absl::Status status = CheckStages(request); !status.ok()) return status;
  const int64_t dp = world / (tp * pp);
  if (absl::Status status = CheckDivides("ep_divides_dp", "expert_parallel_size", ep, "ranks of a data group", dp);
      !status.ok()) {
    return status;
  }
  StridedLayout lists;
  lists.outer = Trimmed({{1, tp}, {world / pp, pp}});
  std::vector<Axis> axes = {{"model", tp}, {"ep", ep}, {"edp", dp / ep}, {"pipe", pp}};
  if (data_first) {
    lists.inner = {{dp / ep * tp, ep}, {tp, dp / ep}};
    std::swap(axes[1], axes[2]);
  } else {
    lists.inner = {{tp, dp}};
  }
  absl::StatusOr<Grid> grid = Grid::Create(std::move(axes));
  if (!grid.ok()) return grid.status();
  ExpertFamilies families = Deal(lists, ep);
  families.grid = *std::move(grid);
  return families;
}

// Along all ranks of a stage: no tensor ways, or sequence ways.
absl::StatusOr<ExpertFamilies> AlongStage(const ExpertRequest& request) {
  const int64_t stage = request.world / request.pp;
  StridedLayout lists;
  lists.outer = Trimmed({{stage, request.pp}});
  lists.inner = {{1, stage}};
  std::vector<Axis> axes = {{"ep", request.ep}, {"edp", stage / request.ep}, {"pipe", request.pp}};
  if (request.data_before_expert) {
    lists.inner = {{stage / request.ep, request.ep}, {1, stage / request.ep}};
    std::swap(axes[0], axes[1]);
  }
  absl::StatusOr<Grid> grid = Grid::Create(std::move(axes));
  if (!grid.ok()) return grid.status();
  ExpertFamilies families = Deal(lists, request.ep);
  families.grid = *std::move(grid);
  return families;
}

// Each stage taken tensor index by tensor index. Upstream drops what does not divide: the tail of a stage whose size is
// no multiple of the tensor ways, and the tail of the list beyond the last whole block.
absl::StatusOr<ExpertFamilies> AlongTensorIndex(const ExpertRequest& request, Compat compat) {
  const int64_t stage = request.world / request.pp;
  const int64_t lanes = stage / request.tp;  // ranks of one tensor index
  if (compat == Compat::kCareful) {
    if (absl::Status status = CheckStages(request); !status.ok()) return status;
    if (absl::Status status =
            CheckDivides("ep_divides_dp", "expert_parallel_size", request.ep,
                         "ranks of a tensor index, so that expert groups would mix tensor indices", lanes);
        !status.ok()) {
      return status;
    }
  }
  if (lanes == 0 || lanes * request.tp < request.ep) {
    return Refuse("ep_divides_stage", absl::StrCat("expert_parallel_size: ", request.ep, " for a stage of ", stage,
                                                   " ranks with model ", request.tp, " leaves no whole expert group"));
  }
  const int64_t listed = lanes * request.tp;
  const int64_t blocks = listed / request.ep;
  const Digits in_list_order = {{request.tp, lanes}, {1, request.tp}, {stage, request.pp}};
  if (listed % request.ep != 0) {
    StridedLayout groups;
    groups.order = RankOrder::OfDigits(0, in_list_order);
    groups.outer = {{request.ep, blocks}, {listed, request.pp}};
    groups.inner = {{1, request.ep}};
    StridedLayout across = groups;
    std::swap(across.outer[0], across.inner[0]);
    return ExpertFamilies{.ep = Family("ep", groups),
                          .edp = Family("edp", across),
                          .creation = ExpertCreation::kExpertThenData,
                          .grid = Grid()};
  }
  ExpertFamilies families =
      Deal({.outer = {{stage, request.pp}}, .inner = {{request.tp, lanes}, {1, request.tp}}}, request.ep);
  if (listed == stage) {
    absl::StatusOr<Grid> grid = Grid::Create({{"ep", request.ep}, {"edp", blocks}, {"pipe", request.pp}}, 0,
                                             RankOrder::OfDigits(0, in_list_order));
    if (!grid.ok()) return grid.status();
    families.grid = *std::move(grid);
  }
  return families;
}

}  // namespace

absl::StatusOr<ExpertFamilies> MakeExpertFamilies(const ExpertRequest& request, Compat compat) {
  if (absl::Status status = CheckDegrees(request); !status.ok()) return status;
  if (request.mode == ExpertMode::kModelData) return AlongData(request);
  const int64_t stage = request.world / request.pp;
  if (absl::Status status =
          CheckDivides("ep_divides_stage", "expert_parallel_size", request.ep, "ranks of a stage", stage);
      !status.ok()) {
    return status;
  }
  absl::StatusOr<ExpertFamilies> families;
  if (request.tp == 1) {
    families = AlongStage(request);
    if (families.ok()) families->creation = ExpertCreation::kDataThenExpert;
    return families;
  }
  if (request.data_before_expert) {
    return Refuse("data_before_expert_needs_mp1",
                  absl::StrCat("data_before_expert: not available with model ", request.tp,
                               " in this mode; leave it out, or deal the experts along the data ranks"));
  }
  families = request.mode == ExpertMode::kTensor ? AlongTensorIndex(request, compat) : AlongStage(request);
  if (families.ok()) families->creation = ExpertCreation::kPerStageExpertThenData;
  return families;
}

absl::StatusOr<TensorDataFamilies> MakeTensorDataFamilies(int64_t world, int64_t tp, int64_t dp) {
  for (const auto& [name, degree] : {std::pair<absl::string_view, int64_t>{"world", world}, {"tp", tp}}) {
    if (absl::Status status = CheckDegree(name, degree); !status.ok()) return status;
  }
  if (absl::Status status = CheckDivides("tp_divides_world", "tp", tp, "ranks", world); !status.ok()) return status;
  if (dp < 0) dp = world / tp;
  if (dp != world / tp) {
    return Refuse("tp_times_dp_equals_world", absl::StrCat("dp: ", dp, " times tp ", tp, " is not the world of ", world,
                                                           "; dp must be ", world / tp, " or left out"));
  }
  return TensorDataFamilies{.dp = Family("dp", StridedLayout{.outer = {{1, tp}}, .inner = {{tp, dp}}}),
                            .tp = Family("tp", StridedLayout{.outer = {{tp, dp}}, .inner = {{1, tp}}})};
}

}  // namespace muster::mesh
