#pragma once
// Degrees and options of the dialect megatron, named as Megatron-LM's initialize_model_parallel and its launcher name
// them.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/optional.h"

namespace muster::mesh {

// Where the gtp_remat axis goes in the dense grid if the order does not name it.
enum class GtpPlace {
  kAfterTp,  // Megatron-LM at d98e8a64
  kAfterCp,  // later revisions; the only place where a lane is d·G + g with CP > 1
};

// Which families exist at all.
enum class MegatronRevision {
  kGtp,        // with the generalized tensor parallel axis: d98e8a64 and later
  kBeforeGtp,  // without: 2d7060f4 and the releases before
};

inline constexpr char kMegatronDefaultOrder[] = "tp-cp-ep-dp-pp";

struct MegatronSpec {
  int64_t tp = 1;
  int64_t cp = 1;
  int64_t ep = 1;
  int64_t pp = 1;
  absl::optional<int64_t> etp = {};  // tensor parallel degree of the experts; default tp
  int64_t gtp = 1;                   // weight shards of a tensor rank (generalized tensor parallel), dense
  int64_t egtp = 1;                  // and of the experts
  // Axes fastest first, joined by '-': tp, cp, ep, dp, pp and gtp_remat. An axis of size 1 may be left out.
  std::string order = kMegatronDefaultOrder;
  GtpPlace gtp_place = GtpPlace::kAfterTp;
  MegatronRevision revision = MegatronRevision::kGtp;

  int64_t num_distopt = 1;           // num_distributed_optimizer_instances
  std::vector<int64_t> hcp = {};     // hierarchical context parallel sizes, innermost first, product = cp; empty: none
  bool hybrid_cp = false;            // groups of 2, 4, 8 ... inside each dp_cp group
  absl::optional<int64_t> vpp = {};  // virtual pipeline stages a rank; changes no group
  bool gloo = true;                  // create Gloo twins
  bool use_sharp = false;            // in-network reduction
  absl::optional<std::string> sharp_group = {};  // "dp" (the default) or "dp_replica"
  absl::optional<std::string> pp_backend = {};   // "nccl" or "ucc"; absent: the default
  int64_t rank_offset = 0;                       // the world's first rank
  bool all_gather_groups = false;  // dp_cp_ag and ep_dp_ag, twins for all-gather alone, made by a later call
};

}  // namespace muster::mesh
