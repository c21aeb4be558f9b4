#pragma once

namespace muster::mesh {

// Which of two behaviours where upstream has a defect (lets a broken order pass, fails by accident, wastes ranks).
enum class Compat {
  kCareful,   // refuse it, or do the right thing and say so in Mesh::notes()
  kUpstream,  // exactly what upstream does
};

}  // namespace muster::mesh
