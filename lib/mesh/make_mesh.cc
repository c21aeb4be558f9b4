#include "lib/mesh/make_mesh.h"

#include <variant>

#include "lib/mesh/deepspeed.h"
#include "lib/mesh/megatron.h"
#include "lib/mesh/nemo.h"
#include "lib/mesh/torch.h"

namespace muster::mesh {
namespace {

struct Dispatch {
  using Made = absl::StatusOr<std::shared_ptr<const Mesh>>;

  Made operator()(const MegatronSpec& spec) const { return MakeMegatronMesh(spec, compat, world); }
  Made operator()(const DeepSpeedSpec& spec) const { return MakeDeepSpeedMesh(spec, compat, world); }
  Made operator()(const TorchSpec& spec) const { return MakeTorchMesh(spec, compat, world); }
  Made operator()(const NemoSpec& spec) const { return MakeNemoMesh(spec, compat, world); }

  Compat compat;
  int64_t world;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const Mesh>> MakeMesh(const MeshSpec& spec, int64_t world) {
  return std::visit(Dispatch{spec.compat, world}, spec.dialect);
}

}  // namespace muster::mesh
