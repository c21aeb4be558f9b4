#pragma once
// NeMo-RL's dispatch of one call over its workers: which worker is called, with which part of the argument, which
// answers. Source: nemo_rl/distributed/worker_groups.py, run_all_workers_sharded_data.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "lib/mesh/compat.h"
#include "lib/mesh/named_sharding.h"
#include "lib/mesh/nemo_spec.h"

namespace muster::mesh {

struct WorkerCall {
  bool called = false;
  // Whether the call carries data; a called worker without is a dummy call.
  bool has_data = false;
  bool returns = false;
  // Index into the argument on each sharded axis, in DispatchSpec's order; empty: the whole argument. Only with data.
  absl::InlinedVector<int64_t, 4> slice;
};

// Immutable, copied freely.
class Dispatch {
 public:
  // Workers are 0..size-1 of the sharding. Refused, in this order:
  //   "replicated_axis_unknown"           a replicated axis that the sharding lacks
  //   "axis_unknown"                      a sharded one
  //   "axis_both_sharded_and_replicated"
  //   "worker_unknown"                    the layout is no permutation of 0..size-1
  // and careful also, where upstream goes on:
  //   "output_replicated_axis_unknown"    it is ignored, so that every copy returns
  //   "output_axis_sharded"               results of all shards but the first are dropped
  //   "axis_listed_twice"                 the argument is indexed twice by one coordinate
  //   "gtp_axis_left_free"                weight shards wait for partners that are never called
  static absl::StatusOr<Dispatch> Create(const NamedSharding& sharding, const DispatchSpec& spec, Compat compat);

  // Precondition: 0 <= worker < size of the sharding. O(axes).
  WorkerCall CallOf(int64_t worker) const;

 private:
  NamedSharding sharding_;
  bool dummy_calls_ = false;
  // Places in sharding_.names().
  std::vector<size_t> sharded_;
  std::vector<size_t> free_;
  std::vector<size_t> output_replicated_;
};

}  // namespace muster::mesh
