#include "lib/mesh/nemo_dispatch.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

bool Has(const std::vector<std::string>& names, absl::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

absl::Status CheckKnown(const NamedSharding& sharding, const std::vector<std::string>& axes, absl::string_view field,
                        absl::string_view rule) {
  for (const std::string& axis : axes) {
    if (sharding.AxisIndex(axis).ok()) continue;
    return Refuse(rule, absl::StrCat(field, ": '", axis, "' is not an axis of the layout; there are ",
                                     absl::StrJoin(sharding.names(), ", ")));
  }
  return absl::OkStatus();
}

absl::Status CheckOnce(const std::vector<std::string>& axes, absl::string_view field) {
  for (auto axis = axes.begin(); axis != axes.end(); ++axis) {
    if (std::find(axes.begin(), axis, *axis) == axis) continue;
    return Refuse("axis_listed_twice", absl::StrCat(field, ": '", *axis, "' is listed twice; list each axis once"));
  }
  return absl::OkStatus();
}

// What upstream lets pass though results are lost or workers hang.
absl::Status CheckCarefully(const NamedSharding& sharding, const DispatchSpec& spec) {
  for (const auto& [axes, field] : {std::pair(&spec.sharded, "sharded"), std::pair(&spec.replicated, "replicated"),
                                    std::pair(&spec.output_replicated, "output_replicated")}) {
    if (absl::Status status = CheckOnce(*axes, field); !status.ok()) return status;
  }
  if (absl::Status status =
          CheckKnown(sharding, spec.output_replicated, "output_replicated", "output_replicated_axis_unknown");
      !status.ok()) {
    return status;
  }
  for (const std::string& axis : spec.output_replicated) {
    if (!Has(spec.sharded, axis)) continue;
    return Refuse("output_axis_sharded",
                  absl::StrCat("output_replicated: '", axis, "' is also sharded, so the results of its shards 1..",
                               *sharding.AxisSize(axis) - 1, " would be dropped; list it in one of the two"));
  }
  const absl::StatusOr<int64_t> gtp = sharding.AxisSize(kGtpWeightRemat);
  if (gtp.ok() && *gtp > 1 && !spec.dummy_calls && !Has(spec.sharded, kGtpWeightRemat) &&
      !Has(spec.replicated, kGtpWeightRemat)) {
    return Refuse("gtp_axis_left_free",
                  absl::StrCat("sharded: without '", kGtpWeightRemat, "' only one in ", *gtp,
                               " workers is called and its weight gather waits for the others; add it to sharded (or "
                               "replicated), or fold it into ",
                               kDataParallel));
  }
  return absl::OkStatus();
}

absl::Status CheckWorkers(const NamedSharding& sharding) {
  const auto& order = sharding.grid().order();
  if (!order) return absl::OkStatus();
  for (int64_t worker = 0; worker < order->size(); ++worker) {
    if (!order->PositionOf(worker)) {
      return Refuse("worker_unknown", absl::StrCat("layout: worker ", worker, " has no place among the ", order->size(),
                                                   "; the layout must be a permutation of 0..", order->size() - 1));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Dispatch> Dispatch::Create(const NamedSharding& sharding, const DispatchSpec& spec, Compat compat) {
  if (absl::Status status = CheckKnown(sharding, spec.replicated, "replicated", "replicated_axis_unknown");
      !status.ok()) {
    return status;
  }
  if (absl::Status status = CheckKnown(sharding, spec.sharded, "sharded", "axis_unknown"); !status.ok()) return status;
  for (const std::string& axis : spec.sharded) {
    if (!Has(spec.replicated, axis)) continue;
    return Refuse("axis_both_sharded_and_replicated",
                  absl::StrCat("sharded: '", axis, "' is also replicated; list it in one of the two"));
  }
  if (compat == Compat::kCareful) {
    if (absl::Status status = CheckCarefully(sharding, spec); !status.ok()) return status;
  }
  if (absl::Status status = CheckWorkers(sharding); !status.ok()) return status;

  Dispatch dispatch;
  dispatch.sharding_ = sharding;
  dispatch.dummy_calls_ = spec.dummy_calls;
  for (const std::string& axis : spec.sharded) dispatch.sharded_.push_back(*sharding.AxisIndex(axis));
  for (const std::string& axis : spec.output_replicated) {
    if (const auto index = sharding.AxisIndex(axis); index.ok()) dispatch.output_replicated_.push_back(*index);
  }
  for (const std::string& axis : sharding.names()) {
    if (!Has(spec.sharded, axis) && !Has(spec.replicated, axis)) dispatch.free_.push_back(*sharding.AxisIndex(axis));
  }
  return dispatch;
}

WorkerCall Dispatch::CallOf(int64_t worker) const {
  const std::vector<int64_t> coordinates = *sharding_.Coordinates(worker);
  auto is_zero = [&](size_t axis) { return coordinates[axis] == 0; };
  WorkerCall call;
  call.has_data = std::all_of(free_.begin(), free_.end(), is_zero);
  call.called = call.has_data || dummy_calls_;
  call.returns = call.has_data && std::all_of(output_replicated_.begin(), output_replicated_.end(), is_zero);
  if (call.has_data) {
    for (size_t axis : sharded_) call.slice.push_back(coordinates[axis]);
  }
  return call;
}

}  // namespace muster::mesh
