#include "lib/assignment/mesh_part.h"

#include <variant>

#include "absl/strings/str_cat.h"
#include "lib/mesh/digits.h"
#include "lib/mesh/family.h"
#include "lib/mesh/group.h"

namespace muster {
namespace {

using Integers = google::protobuf::RepeatedField<int64_t>;

void SetDigits(const mesh::Digits& digits, Integers* strides, Integers* sizes) {
  for (const mesh::Digit& digit : mesh::Joined(digits)) {
    strides->Add(digit.stride);
    sizes->Add(digit.size);
  }
}

// Whether the groups hold every worker and are created by ascending base, which is what a shape without outer digits
// says.
bool AllByBase(const mesh::StridedLayout& layout, int64_t world) {
  if (layout.base != 0 || layout.order != nullptr) return false;
  int64_t workers = mesh::CountOf(layout.inner), span = 0;
  for (const mesh::Digit& digit : mesh::Joined(layout.outer)) {
    if (digit.stride < span) return false;
    span = digit.stride * digit.size;
    workers *= digit.size;
  }
  return workers == world;
}

// Outer digits in the order in which their groups are created; one group gets a digit of one value, so that it is told
// from a family that covers the world.
void SetStrided(const mesh::StridedLayout& layout, int64_t world, v1::FamilyShape* shape) {
  SetDigits(layout.inner, shape->mutable_strides(), shape->mutable_sizes());
  if (AllByBase(layout, world)) return;
  SetDigits(layout.outer, shape->mutable_outer_strides(), shape->mutable_outer_sizes());
  if (shape->outer_sizes().empty()) {
    shape->add_outer_strides(world);
    shape->add_outer_sizes(1);
  }
  shape->set_first(layout.base);
}

void SetRing(const mesh::RingLayout& layout, v1::FamilyShape* shape) {
  shape->set_ring(true);
  shape->add_strides(layout.axis.stride);
  shape->add_sizes(layout.axis.size);
  shape->set_first(layout.base);
  const int64_t lap = layout.axis.stride * layout.axis.size;
  shape->add_outer_strides(1);
  shape->add_outer_sizes(layout.axis.stride);
  shape->add_outer_strides(lap);
  shape->add_outer_sizes(layout.count / lap);
}

v1::StridedGroup GroupAround(const mesh::Family& family, mesh::GlobalRank rank) {
  v1::StridedGroup out;
  const absl::optional<mesh::Membership> membership = family.GroupOf(rank);
  if (!membership) {
    out.set_none(true);
    return out;
  }
  const mesh::Group& group = membership->group;
  if (group.order != nullptr) {
    for (mesh::GlobalRank member : group.Members()) out.add_members(member);
    return out;
  }
  out.set_base(group.base);
  SetDigits(group.digits, out.mutable_strides(), out.mutable_sizes());
  return out;
}

// The order by which positions are ranks; null: they are the same.
const mesh::RankOrder* OrderOf(const mesh::Family::Layout& layout) {
  if (const auto* strided = std::get_if<mesh::StridedLayout>(&layout)) return strided->order.get();
  if (const auto* block = std::get_if<mesh::BlockLayout>(&layout)) return block->parent.order.get();
  return nullptr;
}

void SetAxes(const mesh::Grid& grid, google::protobuf::RepeatedPtrField<v1::AxisShape>* out) {
  for (size_t i = 0; i < grid.axes().size(); ++i) {
    if (grid.size(i) == 1) continue;
    v1::AxisShape* axis = out->Add();
    axis->set_axis(grid.axes()[i].name);
    axis->set_stride(grid.stride(i));
    axis->set_size(grid.size(i));
  }
}

void SetCoordinates(const mesh::Coordinates& from, google::protobuf::RepeatedPtrField<v1::Coordinate>* out) {
  for (const mesh::AxisCoordinate& axis : from) {
    if (axis.size == 1) continue;
    // The axes beside it have names and sizes.
    out->Add()->set_index(axis.index);
  }
}

}  // namespace

absl::Status FillMeshPart(const mesh::Mesh& mesh, v1::Assignment& assignment) {
  const int64_t first = mesh.first_rank() + int64_t{assignment.node_rank()} * assignment.workers_per_member();
  if (first + assignment.workers_per_member() > mesh.first_rank() + mesh.world())
    return absl::InternalError(
        absl::StrCat("node rank ", assignment.node_rank(), " is outside a mesh of ", mesh.world(), " workers"));
  SetAxes(mesh.dense(), assignment.mutable_dense_axes());
  if (mesh.expert() != nullptr) SetAxes(*mesh.expert(), assignment.mutable_expert_axes());

  for (const mesh::Family& family : mesh.families()) {
    if (family.max_size() <= 1) continue;
    v1::FamilyShape* shape = assignment.add_families();
    shape->set_name(std::string(family.name()));
    // The client knows the permutation that the job asked for, no other.
    if (OrderOf(family.layout()) != nullptr && assignment.mesh().permutation().empty()) {
      const int32_t from = assignment.has_local_rank() ? assignment.local_rank() : 0;
      const int32_t to = assignment.has_local_rank() ? from + 1 : assignment.workers_per_member();
      for (int32_t local = from; local < to; ++local) *shape->add_groups() = GroupAround(family, first + local);
    } else if (const auto* strided = std::get_if<mesh::StridedLayout>(&family.layout())) {
      SetStrided(*strided, mesh.world(), shape);
    } else if (const auto* block = std::get_if<mesh::BlockLayout>(&family.layout())) {
      SetStrided(block->parent, mesh.world(), shape);
      shape->set_block(block->block);
    } else {
      SetRing(std::get<mesh::RingLayout>(family.layout()), shape);
    }
  }

  if (!assignment.has_local_rank()) return absl::OkStatus();
  SetCoordinates(mesh.DenseCoordinates(first + assignment.local_rank()), assignment.mutable_dense());
  SetCoordinates(mesh.ExpertCoordinates(first + assignment.local_rank()), assignment.mutable_expert());
  return absl::OkStatus();
}

}  // namespace muster
