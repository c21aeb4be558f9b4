#include "lib/mesh/megatron_families.h"

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/mesh/family.h"
#include "lib/mesh/megatron_derived.h"

namespace muster::mesh {
namespace {

class Maker {
 public:
  Maker(const MegatronSpec& spec, const MegatronDegrees& degrees, MeshBuilder& builder)
      : spec_(spec),
        degrees_(degrees),
        builder_(builder),
        gtp_axis_(spec.revision == MegatronRevision::kGtp),
        dense_gloo_(spec.gloo && spec.gtp == 1),
        expert_gloo_(dense_gloo_ && spec.egtp == 1),
        sharp_group_(spec.use_sharp ? spec.sharp_group.value_or("dp") : "") {}

  void Run() {
    DataFamilies();
    ContextFamilies();
    ModelFamilies();
    ExpertModelFamilies();
    ExpertDataFamilies();
    InstanceFamily();
  }

 private:
  using Axes = std::initializer_list<absl::string_view>;

  StridedLayout Dense(Axes axes) const { return GridLayout(degrees_.dense.grid(), degrees_.dense.grid().Select(axes)); }
  StridedLayout Expert(Axes axes) const {
    return GridLayout(degrees_.expert.grid(), degrees_.expert.grid().Select(axes));
  }

  void DataFamilies() {
    if (gtp_axis_) builder_.Add(Family("gtp_remat", Dense({"gtp_remat"})));
    const StridedLayout dp_cp = Dense({"dp", "cp"});
    const bool collnet = sharp_group_ == "dp";
    std::vector<Family> turns;
    turns.push_back(Family("dp_cp", dp_cp).WithGlooTwin(dense_gloo_).WithCollnet(collnet));
    if (spec_.num_distopt > 1) {
      turns.push_back(
          Family("intra_dp_cp", Blocks(dp_cp, spec_.num_distopt)).WithGlooTwin(dense_gloo_).WithCollnet(collnet));
    } else {
      builder_.Alias("intra_dp_cp", "dp_cp");
    }
    const int64_t rounds = turns[0].count();
    builder_.AddInTurns(std::move(turns), rounds);
    if (spec_.hybrid_cp) builder_.AddInTurns(HybridFamilies(dp_cp), rounds);
    builder_.Add(Family("dp", Dense({"dp"})).WithGlooTwin(dense_gloo_));
    if (spec_.gtp > 1) {
      builder_.Add(Family("gtp_remat_dp", Dense({"gtp_remat", "dp"})));
      builder_.Add(Family("gtp_remat_dp_cp", Dense({"gtp_remat", "dp", "cp"})));
    } else if (gtp_axis_) {
      builder_.Alias("gtp_remat_dp", "dp");
      builder_.Alias("gtp_remat_dp_cp", "dp_cp");
    }
  }

  void ContextFamilies() {
    const StridedLayout cp = Dense({"cp"});
    std::vector<Family> turns;
    turns.push_back(Family("cp", cp));
    const int64_t rounds = turns[0].count();
    for (size_t level = 0; level < spec_.hcp.size(); ++level) {
      turns.push_back(
          Family(absl::StrCat("hcp_L", level), HierarchicalLevel(cp, spec_.hcp, level)).WithOptionsKey("hcp"));
    }
    builder_.AddInTurns(std::move(turns), rounds);
  }

  void ModelFamilies() {
    builder_.Add(Family("mp", Dense({"tp", "gtp_remat", "pp"})));
    builder_.Add(Family("tp", Dense({"tp"})));
    const StridedLayout pp = Dense({"pp"});
    const std::string backend = spec_.pp_backend.value_or("");
    std::vector<Family> turns;
    // Communicator options are NCCL's: none are looked up for another backend.
    turns.push_back(Family("pp", pp).WithBackend(backend).WithOptionsKey(backend == "ucc" ? "" : "pp"));
    turns.push_back(Family("embd", FirstAndLast(pp)));
    turns.push_back(Family("pos_embd", FirstOnly(pp)));
    const int64_t rounds = turns[0].count();
    builder_.AddInTurns(std::move(turns), rounds);
    builder_.Add(Family("tp_dp_cp", Dense({"tp", "gtp_remat", "dp", "cp"})));
    builder_.Add(Family("tp_dp", Dense({"tp", "gtp_remat", "dp"})));
    builder_.Add(Family("tp_cp", Dense({"tp", "cp"})));
  }

  void ExpertModelFamilies() {
    if (gtp_axis_) builder_.Add(Family("expt_gtp_remat", Expert({"gtp_remat"})));
    builder_.Add(Family("ep", Expert({"ep"})));
    builder_.Add(Family("ep_tp", Expert({"tp"})));
    builder_.Add(Family("tp_ep_mp", Expert({"tp", "ep"})));
    builder_.Add(Family("tp_ep_pp", Expert({"tp", "ep", "pp"})));
    if (gtp_axis_) builder_.Add(Family("tp_ep_gtp_remat_pp", Expert({"tp", "ep", "gtp_remat", "pp"})));
  }

  void ExpertDataFamilies() {
    const StridedLayout ep_dp = Expert({"dp"});
    const bool collnet = sharp_group_ == "dp_replica";
    std::vector<Family> turns;
    turns.push_back(Family("ep_dp", ep_dp).WithGlooTwin(expert_gloo_));
    if (spec_.num_distopt > 1) {
      const int64_t instances = spec_.num_distopt;
      turns.push_back(Family("intra_ep_dp", Blocks(ep_dp, instances)).WithGlooTwin(expert_gloo_).WithCollnet(collnet));
      turns.push_back(
          Family("inter_ep_dp", AcrossBlocks(ep_dp, instances)).WithGlooTwin(expert_gloo_).WithCollnet(collnet));
    } else {
      builder_.Alias("intra_ep_dp", "ep_dp");
    }
    const int64_t rounds = turns[0].count();
    builder_.AddInTurns(std::move(turns), rounds);
    if (spec_.egtp > 1) {
      builder_.Add(Family("ep_gtp_remat_dp", Expert({"gtp_remat", "dp"})));
    } else if (gtp_axis_) {
      builder_.Alias("ep_gtp_remat_dp", "ep_dp");
    }
  }

  void InstanceFamily() {
    if (spec_.gtp > 1 || spec_.egtp > 1) {
      const Digits world = Trimmed({{1, degrees_.world}});
      builder_.Add(
          Family("intra_dist_opt_instance", StridedLayout{.base = spec_.rank_offset, .outer = {}, .inner = world}));
      return;
    }
    builder_.Add(
        Family("intra_dist_opt_instance", Concatenated(Expert({"tp", "ep", "pp"}), degrees_.edp / spec_.num_distopt)));
  }

  static std::vector<Family> HybridFamilies(const StridedLayout& dp_cp) {
    std::vector<Family> families;
    const int64_t members = CountOf(dp_cp.inner);
    // Powers of two up to half the largest one that fits.
    for (int64_t size = 2; size <= members / 2; size *= 2) {
      families.push_back(Family(absl::StrCat("hybrid_dp_cp_", size), BlockLayout{dp_cp, size}).WithOptionsKey("dp_cp"));
    }
    return families;
  }

  const MegatronSpec& spec_;
  const MegatronDegrees& degrees_;
  MeshBuilder& builder_;
  const bool gtp_axis_;
  const bool dense_gloo_;
  const bool expert_gloo_;
  const std::string sharp_group_;
};

}  // namespace

void AddMegatronFamilies(const MegatronSpec& spec, const MegatronDegrees& degrees, MeshBuilder& builder) {
  Maker(spec, degrees, builder).Run();
}

}  // namespace muster::mesh
