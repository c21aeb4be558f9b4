#pragma once
// The mesh of a job: what the rest of Muster knows of parallelism. A dialect (megatron, deepspeed, torch, nemo) turns
// degrees into grids and families; everything else here is dialect-free arithmetic.
//
// A Mesh is immutable and cheap to copy around by shared_ptr<const Mesh>; all questions about one worker cost O(axes).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "lib/mesh/family.h"
#include "lib/mesh/grid.h"
#include "lib/mesh/group.h"

namespace muster::mesh {

// What a worker finds at one axis of one grid.
struct AxisCoordinate {
  absl::string_view axis;  // owned by the Mesh
  int64_t index = 0;       // 0..size-1
  int64_t size = 1;
};
using Coordinates = absl::InlinedVector<AxisCoordinate, 6>;

// Families whose groups are created in turns: in each of `rounds` rounds every family, in this order, creates its next
// count() / rounds groups. A family alone has one round.
struct CreationStep {
  std::vector<size_t> families;  // places in Mesh::families()
  int64_t rounds = 1;
};

class Mesh {
 public:
  int64_t world() const { return world_; }
  // The world's ranks are first_rank()..first_rank()+world()-1; 0 but for Megatron's rank_offset.
  GlobalRank first_rank() const { return dense_.offset(); }
  absl::string_view dialect() const { return dialect_; }

  // The dense grid always exists; the expert grid where the job has experts (or its dialect always builds one).
  const Grid& dense() const { return dense_; }
  const Grid* expert() const { return expert_ ? &*expert_ : nullptr; }

  // In the dialect's creation order: every rank must create the same families, and groups, in this order.
  absl::Span<const Family> families() const { return families_; }
  // How the groups of different families interleave; covers each family once, in the order of families().
  absl::Span<const CreationStep> creation() const { return creation_; }
  // nullptr if the dialect makes no such family for these degrees; aliases (families that upstream reuses another for)
  // resolve.
  const Family* Find(absl::string_view name) const;
  // (alias, family it stands for), e.g. gtp_remat_dp -> dp with GTP = 1.
  absl::Span<const std::pair<std::string, std::string>> aliases() const { return aliases_; }

  // One entry an axis, fastest first; empty for a rank outside the grid.
  Coordinates DenseCoordinates(GlobalRank rank) const;
  Coordinates ExpertCoordinates(GlobalRank rank) const;  // empty also without an expert grid

  // What the careful default did differently from upstream, in sentences for the user; empty under compat: upstream.
  absl::Span<const std::string> notes() const { return notes_; }

 private:
  friend class MeshBuilder;
  Mesh() = default;

  int64_t world_ = 1;
  std::string dialect_;
  Grid dense_;
  absl::optional<Grid> expert_;
  std::vector<Family> families_;
  std::vector<CreationStep> creation_;
  std::vector<std::pair<std::string, std::string>> aliases_;
  std::vector<std::string> notes_;
};

}  // namespace muster::mesh
