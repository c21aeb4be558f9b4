#pragma once
// The mesh of a job: what the rest of Muster knows of parallelism. A dialect (megatron, deepspeed, torch, nemo) turns
// degrees into grids and families; everything else here is dialect-free arithmetic.
//
// A Mesh is immutable and cheap to copy around by shared_ptr<const Mesh>; all questions about one worker cost O(axes).

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
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

class Mesh {
 public:
  int64_t world() const { return world_; }
  absl::string_view dialect() const { return dialect_; }

  // The dense grid always exists; the expert grid where the job has experts (or its dialect always builds one).
  const Grid& dense() const { return dense_; }
  const Grid* expert() const { return expert_ ? expert_.get() : nullptr; }

  // In the dialect's creation order: every rank must create the same families, and groups, in this order.
  absl::Span<const Family> families() const { return families_; }
  // nullptr if the dialect makes no such family for these degrees; aliases (families that upstream reuses another for) resolve.
  const Family* Find(absl::string_view name) const;
  // (alias, family it stands for), e.g. gtp_remat_dp -> dp with GTP = 1.
  absl::Span<const std::pair<std::string, std::string>> aliases() const { return aliases_; }

  // Precondition: 0 <= rank < world().
  Coordinates DenseCoordinates(GlobalRank rank) const;
  Coordinates ExpertCoordinates(GlobalRank rank) const;  // empty without an expert grid

  // What the careful default did differently from upstream, in sentences for the user; empty under compat: upstream.
  absl::Span<const std::string> notes() const { return notes_; }

 private:
  friend class MeshBuilder;
  int64_t world_ = 0;
  std::string dialect_;
  Grid dense_;
  std::unique_ptr<Grid> expert_;
  std::vector<Family> families_;
  std::vector<std::pair<std::string, std::string>> aliases_;
  std::vector<std::string> notes_;
};

}  // namespace muster::mesh
