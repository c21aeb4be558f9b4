#include "lib/mesh/deepspeed.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/mesh/deepspeed_experts.h"
#include "lib/mesh/deepspeed_grid.h"
#include "lib/mesh/deepspeed_topology.h"
#include "lib/mesh/mesh_builder.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

absl::StatusOr<DeepSpeedTopology> TopologyOf(const DeepSpeedSpec& spec, Compat compat, int64_t world) {
  if (spec.axes.empty()) return DeepSpeedTopology::Default(world);
  std::vector<std::string> names;
  std::vector<int64_t> sizes;
  for (const Axis& axis : spec.axes) {
    names.push_back(axis.name);
    sizes.push_back(axis.size);
  }
  return DeepSpeedTopology::Create(std::move(names), std::move(sizes), compat);
}

// pipe, data and model in this order, none but model left out.
absl::Status CheckExpertAxes(const DeepSpeedTopology& topology) {
  const std::vector<std::string> axes(topology.axes().begin(), topology.axes().end());
  if (axes == std::vector<std::string>{"pipe", "data", "model"} || axes == std::vector<std::string>{"pipe", "data"} ||
      axes == std::vector<std::string>{"data", "model"} || axes == std::vector<std::string>{"data"}) {
    return absl::OkStatus();
  }
  return Refuse("experts_need_pipe_data_model",
                absl::StrCat("axes: ", absl::StrJoin(axes, ", "),
                             "; expert groups follow the ranks only if the axes are pipe, data, model, in this order"));
}

absl::Status AddExperts(const DeepSpeedSpec& spec, const DeepSpeedTopology& topology, Compat compat,
                        MeshBuilder& builder) {
  if (compat == Compat::kCareful) {
    if (absl::Status status = CheckExpertAxes(topology); !status.ok()) return status;
  }
  const ExpertRequest request{.world = topology.world(),
                              .tp = std::max<int64_t>(topology.Dim("model"), 1),
                              .ep = spec.expert_parallel_size,
                              .pp = std::max<int64_t>(topology.Dim("pipe"), 1),
                              .mode = spec.expert_mode,
                              .data_before_expert = spec.data_before_expert};
  absl::StatusOr<ExpertFamilies> experts = MakeExpertFamilies(request, compat);
  if (!experts.ok()) return experts.status();
  if (!experts->grid.axes().empty()) builder.SetExpert(std::move(experts->grid));
  switch (experts->creation) {
    case ExpertCreation::kExpertThenData:
      builder.Add(std::move(experts->ep));
      builder.Add(std::move(experts->edp));
      break;
    case ExpertCreation::kDataThenExpert:
      builder.Add(std::move(experts->edp));
      builder.Add(std::move(experts->ep));
      break;
    case ExpertCreation::kPerStageExpertThenData:
      builder.AddInTurns({std::move(experts->ep), std::move(experts->edp)}, request.pp);
      break;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Mesh>> MakeDeepSpeedMesh(const DeepSpeedSpec& spec, Compat compat, int64_t world) {
  absl::StatusOr<DeepSpeedTopology> topology = TopologyOf(spec, compat, world);
  if (!topology.ok()) return topology.status();
  MeshBuilder builder("deepspeed", world, topology->grid());
  if (topology->grid().Find("pipe") && topology->grid().Find("data")) {
    absl::StatusOr<DeepSpeedGrid> grid = MakeDeepSpeedGrid(*topology, world);
    if (!grid.ok()) return grid.status();
    builder.Add(std::move(grid->ds_model));
    builder.Add(std::move(grid->data_groups));
    builder.Add(std::move(grid->pipe_groups));
    builder.Add(std::move(grid->slice));
  } else {
    if (topology->world() != world) {
      return Refuse("grid_product_equals_world", absl::StrCat("axes: their product ", topology->world(),
                                                              " is not the world of ", world, " workers"));
    }
    for (const std::string& axis : topology->axes()) builder.Add(*topology->CommLists(axis));
  }
  if (spec.expert_parallel_size > 1) {
    if (absl::Status status = AddExperts(spec, *topology, compat, builder); !status.ok()) return status;
  } else if (spec.expert_parallel_size < 0) {
    return Refuse("degree_out_of_range", absl::StrCat("expert_parallel_size: ", spec.expert_parallel_size,
                                                      " is negative; leave it out for none"));
  }
  return std::move(builder).Build();
}

}  // namespace muster::mesh
