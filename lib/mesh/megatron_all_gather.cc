#include "lib/mesh/megatron_all_gather.h"

#include <initializer_list>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/mesh/checked.h"
#include "lib/mesh/family.h"
#include "lib/mesh/megatron_grid.h"
#include "lib/mesh/megatron_order.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

absl::StatusOr<StridedLayout> DefaultOrderGroups(const MegatronSpec& spec, MegatronSizes sizes,
                                                 absl::string_view anchor,
                                                 std::initializer_list<absl::string_view> axes) {
  sizes.has_gtp_axis = spec.revision == MegatronRevision::kGtp;
  const std::string order =
      sizes.has_gtp_axis ? WithGtpAxis(kMegatronDefaultOrder, {anchor}, Compat::kUpstream) : kMegatronDefaultOrder;
  auto grid = MegatronGrid::Create(order, sizes, 0, Compat::kUpstream);
  if (!grid.ok()) return grid.status();
  return grid->Groups(axes);
}

// Same groups in the same order.
bool Equal(const StridedLayout& a, const StridedLayout& b) {
  return a.base == b.base && Joined(a.inner) == Joined(b.inner) && Joined(a.outer) == Joined(b.outer);
}

absl::Status AddTwin(const MegatronSpec& spec, absl::string_view of, const StridedLayout& layout,
                     const MegatronGrid& grid, std::initializer_list<absl::string_view> axes, Compat compat,
                     MeshBuilder& builder) {
  if (compat == Compat::kCareful && !Equal(layout, GridLayout(grid.grid(), grid.grid().Select(axes)))) {
    return Refuse("all_gather_groups_differ",
                  absl::StrCat("all_gather_groups: Megatron computes them in the order ", kMegatronDefaultOrder,
                               " from rank 0 with gtp counted twice; here (gtp ", spec.gtp, ", rank_offset ",
                               spec.rank_offset, ") they would pair other ranks than ", of,
                               ". Leave them out, or use the default order and gtp 1"));
  }
  builder.Add(Family(absl::StrCat(of, "_ag"), layout).WithOptionsKey(std::string(of)));
  return absl::OkStatus();
}

}  // namespace

absl::Status AddAllGatherFamilies(const MegatronSpec& spec, const MegatronDegrees& degrees, Compat compat,
                                  MeshBuilder& builder) {
  // The size that upstream passes as dp has gtp counted in already.
  const auto dp = CheckedProduct({degrees.dp, spec.gtp});
  MegatronSizes dense{.tp = spec.tp, .pp = spec.pp, .dp = *dp, .ep = 1, .cp = spec.cp, .gtp = spec.gtp};
  auto layout = DefaultOrderGroups(spec, dense, "tp", {"dp", "cp"});
  if (!layout.ok()) return layout.status();
  absl::Status added = AddTwin(spec, "dp_cp", *layout, degrees.dense, {"dp", "cp"}, compat, builder);
  if (!added.ok() || spec.ep == 1) return added;

  MegatronSizes expert{
      .tp = spec.etp.value_or(spec.tp), .pp = spec.pp, .dp = degrees.edp, .ep = spec.ep, .cp = 1, .gtp = spec.egtp};
  layout = DefaultOrderGroups(spec, expert, "ep", {"dp"});
  if (!layout.ok()) return layout.status();
  return AddTwin(spec, "ep_dp", *layout, degrees.expert, {"dp"}, compat, builder);
}

}  // namespace muster::mesh
