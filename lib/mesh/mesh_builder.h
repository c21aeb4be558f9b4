#pragma once
// How a dialect puts a Mesh together.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/mesh/family.h"
#include "lib/mesh/grid.h"
#include "lib/mesh/mesh.h"

namespace muster::mesh {

// Families are added in creation order. Single use.
class MeshBuilder {
 public:
  MeshBuilder(std::string dialect, int64_t world, Grid dense);

  void SetExpert(Grid expert);
  // All groups of the family, one after the other.
  void Add(Family family);
  // Groups in turns: `rounds` rounds of count() / rounds groups of each (see CreationStep); rounds divides each
  // count().
  void AddInTurns(std::vector<Family> families, int64_t rounds);
  // `alias` is another name of `family`, which is a family and no alias.
  void Alias(std::string alias, std::string family);
  void Note(std::string sentence);

  std::shared_ptr<const Mesh> Build() &&;

 private:
  std::shared_ptr<Mesh> mesh_;
};

}  // namespace muster::mesh
