#pragma once
// Which families of a mesh carry traffic of their own, and by which collectives: what a training step runs along each
// axis (tensor: all-reduce, all-gather and reduce-scatter; context: all-gather and a ring; data: reduce-scatter and
// all-gather; expert: all-to-all; pipeline: send/recv both ways).

#include <vector>

#include "lib/mesh/mesh.h"
#include "proto/muster/v1/selftest.pb.h"

namespace muster::selftest {

struct FamilyTraffic {
  const mesh::Family* family = nullptr;  // owned by the mesh
  std::vector<v1::Collective> collectives;
};

// In the order in which they are tested: the innermost axes first. Families whose groups all have one member are left
// out, and of families with equal groups only the first keeps a collective that they share. Gradients travel in dp_cp
// where the mesh has context parallelism, else in dp. An axis of a name that no framework gives a meaning (torch, nemo)
// gets an all-reduce and a ring.
std::vector<FamilyTraffic> TrafficOf(const mesh::Mesh& mesh);

}  // namespace muster::selftest
