#include "lib/mesh/megatron.h"

#include <utility>

#include "lib/mesh/megatron_all_gather.h"
#include "lib/mesh/megatron_degrees.h"
#include "lib/mesh/megatron_families.h"
#include "lib/mesh/mesh_builder.h"

namespace muster::mesh {

absl::StatusOr<std::shared_ptr<const Mesh>> MakeMegatronMesh(const MegatronSpec& spec, Compat compat, int64_t world) {
  auto degrees = CheckMegatronSpec(spec, compat, world);
  if (!degrees.ok()) return degrees.status();
  MeshBuilder builder("megatron", world, degrees->dense.grid());
  builder.SetExpert(degrees->expert.grid());
  AddMegatronFamilies(spec, *degrees, builder);
  if (spec.all_gather_groups) {
    if (absl::Status added = AddAllGatherFamilies(spec, *degrees, compat, builder); !added.ok()) return added;
  }
  for (std::string& note : degrees->notes) builder.Note(std::move(note));
  return std::move(builder).Build();
}

}  // namespace muster::mesh
