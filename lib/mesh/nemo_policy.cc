#include "lib/mesh/nemo_policy.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/mesh/nemo_spec.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

absl::Status TooFew(int64_t world, const PolicyDegrees& degrees) {
  return Refuse("world_at_least_model_parallel",
                absl::StrCat("world: ", world, " workers are fewer than one policy needs: pipeline ", degrees.pp,
                             " times context ", degrees.cp, " times tensor ", degrees.tp));
}

}  // namespace

absl::StatusOr<NamedSharding> PolicySharding(int64_t world, const PolicyDegrees& degrees) {
  const auto [pp, cp, tp, gtp] = degrees;
  for (const auto& [name, degree] :
       {std::pair<absl::string_view, int64_t>{"world", world}, {"pp", pp}, {"cp", cp}, {"tp", tp}, {"gtp", gtp}}) {
    if (degree < 1) return Refuse("degree_out_of_range", absl::StrCat(name, ": ", degree, " is not at least 1"));
  }
  if (pp > world || cp > world / pp || tp > world / pp / cp) return TooFew(world, degrees);
  const int64_t model_parallel = pp * cp * tp;
  if (world % model_parallel != 0) {
    return Refuse("model_parallel_divides_world",
                  absl::StrCat("world: ", world, " is not divisible by pipeline ", pp, " times context ", cp,
                               " times tensor ", tp, "; ", world % model_parallel, " workers would be left over"));
  }
  const int64_t lanes = world / model_parallel;
  if (lanes % gtp != 0) {
    return Refuse("gtp_divides_lanes", absl::StrCat("gtp: ", gtp, " does not divide the ", lanes, " data lanes"));
  }
  return NamedSharding::OfShape({kPipelineParallel, kDataParallel, kContextParallel, kTensorParallel},
                                {pp, lanes, cp, tp}, Compat::kCareful);
}

int64_t LaneOf(GlobalRank rank, int64_t world, const PolicyDegrees& degrees) {
  const int64_t lanes = world / (degrees.pp * degrees.cp * degrees.tp);
  return rank / (degrees.cp * degrees.tp) % lanes;
}

}  // namespace muster::mesh
