#include "lib/mesh/nemo.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/mesh/mesh_builder.h"
#include "lib/mesh/named_sharding.h"
#include "lib/mesh/nemo_dispatch.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

absl::StatusOr<NamedSharding> ShardingOf(const NemoSpec& spec, Compat compat) {
  std::vector<std::string> names;
  std::vector<int64_t> shape;
  for (const Axis& axis : spec.axes) {
    names.push_back(axis.name);
    shape.push_back(axis.size);
  }
  if (spec.layout.empty()) return NamedSharding::OfShape(std::move(names), shape, compat);
  return NamedSharding::OfLayout(std::move(names), RankArray{shape, spec.layout}, compat);
}

absl::Status CheckCoversWorld(const NamedSharding& sharding, int64_t world) {
  if (sharding.size() != world) {
    return Refuse("layout_covers_world",
                  absl::StrCat("axes: their product ", sharding.size(), " is not the world of ", world, " workers"));
  }
  if (!sharding.grid().order()) return absl::OkStatus();
  for (GlobalRank rank : sharding.grid().order()->ranks()) {
    if (rank < world) continue;
    return Refuse("layout_covers_world", absl::StrCat("layout: ", rank, " is not a worker; they are 0..", world - 1));
  }
  return absl::OkStatus();
}

// All workers of a data lane; nullopt without the data axis.
absl::optional<Family> Lanes(const Grid& grid) {
  const absl::optional<size_t> data = grid.Find(kDataParallel);
  if (!data) return absl::nullopt;
  AxisSet lane = AxisSet().set(*data);
  // Faster by one place than data: then lane = d·G + g.
  const absl::optional<size_t> gtp = grid.Find(kGtpWeightRemat);
  if (gtp && *gtp + 1 == *data) lane.set(*gtp);
  return Family("lane", GridLayout(grid, ~lane));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Mesh>> MakeNemoMesh(const NemoSpec& spec, Compat compat, int64_t world) {
  absl::StatusOr<NamedSharding> sharding = ShardingOf(spec, compat);
  if (!sharding.ok()) return sharding.status();
  if (absl::Status status = CheckCoversWorld(*sharding, world); !status.ok()) return status;
  const DispatchSpec& dispatch = spec.dispatch;
  if (!dispatch.sharded.empty() || !dispatch.replicated.empty() || !dispatch.output_replicated.empty()) {
    if (absl::Status status = Dispatch::Create(*sharding, dispatch, compat).status(); !status.ok()) return status;
  }
  MeshBuilder builder("nemo", world, sharding->grid());
  for (size_t i = sharding->grid().axes().size(); i-- > 0;) {
    builder.Add(Family(sharding->grid().axes()[i].name, GridLayout(sharding->grid(), AxisSet().set(i))));
  }
  if (absl::optional<Family> lanes = Lanes(sharding->grid())) builder.Add(*std::move(lanes));
  return std::move(builder).Build();
}

}  // namespace muster::mesh
