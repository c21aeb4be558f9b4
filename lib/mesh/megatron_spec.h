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

struct MegatronSpec {
  int64_t tp = 1;
  int64_t cp = 1;
  int64_t ep = 1;
  int64_t pp = 1;
  absl::optional<int64_t> etp;  // tensor parallel degree of the experts; default tp
  int64_t gtp = 1;              // weight shards of a tensor rank (generalized tensor parallel), dense
  int64_t egtp = 1;             // and of the experts
  // Axes fastest first, joined by '-': tp, cp, ep, dp, pp and gtp_remat.
  std::string order = "tp-cp-ep-dp-pp";
  GtpPlace gtp_place = GtpPlace::kAfterTp;

  int64_t num_distopt = 1;                   // num_distributed_optimizer_instances
  absl::optional<std::vector<int64_t>> hcp;  // hierarchical context parallel sizes, innermost first; product = cp
  bool hybrid_cp = false;
  absl::optional<int64_t> vpp;  // virtual pipeline stages a rank
  bool gloo = true;             // create Gloo twins
  bool use_sharp = false;
  absl::optional<std::string> sharp_group;  // "dp" or "dp_replica"
  absl::optional<std::string> pp_backend;   // "nccl" or "ucc"; empty for the default
  int64_t rank_offset = 0;                  // the world's first rank
};

}  // namespace muster::mesh
