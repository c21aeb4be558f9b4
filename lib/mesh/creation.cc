#include "lib/mesh/creation.h"

namespace muster::mesh {

int64_t CountCreations(const Mesh& mesh) {
  int64_t calls = 0;
  for (const Family& family : mesh.families()) calls += family.count() * (family.gloo_twin() ? 2 : 1);
  return calls;
}

void ForEachCreation(const Mesh& mesh, absl::FunctionRef<void(const GroupCreation&)> create) {
  for (const CreationStep& step : mesh.creation()) {
    for (int64_t round = 0; round < step.rounds; ++round) {
      for (size_t place : step.families) {
        const Family& family = mesh.families()[place];
        const int64_t each = family.count() / step.rounds;
        for (int64_t index = round * each; index < (round + 1) * each; ++index) {
          create({family, index, false});
          if (family.gloo_twin()) create({family, index, true});
        }
      }
    }
  }
}

}  // namespace muster::mesh
