#pragma once
// One grid of Megatron: its order resolved against the sizes of its axes (upstream's RankGenerator).

#include <cstdint>
#include <initializer_list>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/mesh/compat.h"
#include "lib/mesh/family.h"
#include "lib/mesh/grid.h"

namespace muster::mesh {

struct MegatronSizes {
  int64_t tp = 1;
  int64_t pp = 1;
  int64_t dp = 1;
  int64_t ep = 1;
  int64_t cp = 1;
  int64_t gtp = 1;
  bool has_gtp_axis = true;
};

// Immutable.
class MegatronGrid {
 public:
  // Refused: "ep_and_cp_in_one_generator"; what OrderTokens refuses; what Grid::Create refuses.
  static absl::StatusOr<MegatronGrid> Create(absl::string_view order, const MegatronSizes& sizes, int64_t rank_offset,
                                             Compat compat);

  const Grid& grid() const { return grid_; }
  // The product of all sizes. Equals grid().world() but where kUpstream let an order pass that lacks tp.
  int64_t world() const { return world_; }
  // Groups over these axes. Refused, only under kUpstream: "axis_token_absent" for an axis that the order lacks,
  // "order_lacks_tp_unnoticed" where the world is larger than the grid.
  absl::StatusOr<StridedLayout> Groups(absl::Span<const absl::string_view> axes) const;

 private:
  Grid grid_;
  int64_t world_ = 1;
};

}  // namespace muster::mesh
