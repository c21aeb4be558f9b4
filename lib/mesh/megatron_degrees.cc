#include "lib/mesh/megatron_degrees.h"

#include <cstddef>
#include <limits>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/mesh/checked.h"
#include "lib/mesh/megatron_order.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

// More than any product of sizes above 1 can have.
constexpr size_t kMaxLevels = 63;

struct Factor {
  absl::string_view name;
  int64_t size;
};

// Text of a user as a message shows it: escaped, and not endless.
std::string Shown(absl::string_view text) { return absl::StrCat("'", absl::CHexEscape(text.substr(0, 64)), "'"); }

class Checker {
 public:
  Checker(const MegatronSpec& spec, Compat compat, int64_t world)
      : spec_(spec), careful_(compat == Compat::kCareful), compat_(compat), etp_(spec.etp.value_or(spec.tp)) {
    made_.world = world;
  }

  absl::StatusOr<MegatronDegrees> Run() {
    using Check = absl::Status (Checker::*)();
    for (Check check :
         {&Checker::World, &Checker::Sharp, &Checker::Instances, &Checker::DenseDegree, &Checker::VirtualPipeline,
          &Checker::DenseGrid, &Checker::ExpertDegree, &Checker::ExpertGrid, &Checker::PipelineLast,
          &Checker::PipelineGroups, &Checker::DenseInstances, &Checker::SharpBarrier, &Checker::HybridCp,
          &Checker::HierarchicalCp, &Checker::TensorToken, &Checker::PipelineBackend, &Checker::ExpertInstances}) {
      if (absl::Status status = (this->*check)(); !status.ok()) return status;
    }
    return std::move(made_);
  }

 private:
  absl::Status World() {
    if (made_.world < 1) return Refuse("zero_size", absl::StrCat("world: ", made_.world, " is not at least 1"));
    if (spec_.revision == MegatronRevision::kBeforeGtp && (spec_.gtp != 1 || spec_.egtp != 1)) {
      return Refuse("gtp_needs_newer_revision", absl::StrCat("gtp ", spec_.gtp, ", egtp ", spec_.egtp,
                                                             ": this revision of Megatron has no such axis"));
    }
    return absl::OkStatus();
  }

  absl::Status Sharp() {
    if (!spec_.sharp_group) return absl::OkStatus();
    const std::string& group = *spec_.sharp_group;
    if (!spec_.use_sharp) {
      return Refuse("sharp_group_without_sharp",
                    absl::StrCat("sharp_group: ", Shown(group), " is given but use_sharp is off. Set both or neither"));
    }
    if (group != "dp" && group != "dp_replica") {
      return Refuse("sharp_group_unknown",
                    absl::StrCat("sharp_group: ", Shown(group), " is neither dp nor dp_replica"));
    }
    if (group == "dp_replica" && spec_.num_distopt <= 1) {
      return Refuse("sharp_replica_needs_distopt",
                    absl::StrCat("sharp_group: dp_replica needs num_distopt above 1, is ", spec_.num_distopt,
                                 ". Use dp, or more instances"));
    }
    return absl::OkStatus();
  }

  absl::Status Instances() {
    if (spec_.num_distopt <= 1 || (spec_.gtp <= 1 && spec_.egtp <= 1)) return absl::OkStatus();
    return Refuse("gtp_needs_one_distopt_instance",
                  absl::StrCat("num_distopt: ", spec_.num_distopt, " with gtp ", spec_.gtp, " and egtp ", spec_.egtp,
                               "; weight shards need one instance. Set num_distopt 1, or gtp and egtp 1"));
  }

  absl::Status DenseDegree() {
    auto degree = Divide("dense_grid_divides_world", DenseFactors());
    if (degree.ok()) made_.dp = *degree;
    return degree.status();
  }

  absl::Status ExpertDegree() {
    auto degree = Divide("expert_grid_divides_world", ExpertFactors());
    if (degree.ok()) made_.edp = *degree;
    return degree.status();
  }

  absl::Status VirtualPipeline() {
    if (!spec_.vpp) return absl::OkStatus();
    if (spec_.pp <= 1) {
      return Refuse("virtual_pp_needs_pp",
                    absl::StrCat("vpp: ", *spec_.vpp, " with pp ", spec_.pp,
                                 "; virtual stages need pp above 1. Leave vpp out, or raise pp"));
    }
    if (careful_ && *spec_.vpp < 1) return Refuse("zero_size", absl::StrCat("vpp: ", *spec_.vpp, " is not at least 1"));
    return absl::OkStatus();
  }

  absl::Status DenseGrid() {
    const bool changes_place = spec_.gtp > 1 || spec_.egtp > 1;
    if (careful_ && absl::AsciiStrToLower(spec_.order) != spec_.order) {
      if (changes_place) {
        return Refuse("order_not_lower_case",
                      absl::StrCat("order: ", Shown(spec_.order),
                                   " has capitals, so that Megatron finds no tp to put gtp_remat behind. Write ",
                                   Shown(absl::AsciiStrToLower(spec_.order))));
      }
      made_.notes.push_back(
          "order has capitals: read in lower case, as Megatron does for all but gtp_remat and a last pp");
    }
    MegatronSizes sizes{.tp = spec_.tp, .pp = spec_.pp, .dp = made_.dp, .ep = 1, .cp = spec_.cp, .gtp = spec_.gtp};
    const bool after_cp = spec_.gtp_place == GtpPlace::kAfterCp;
    return MakeGrid(sizes, after_cp ? "cp" : "tp", made_.dense);
  }

  absl::Status ExpertGrid() {
    MegatronSizes sizes{.tp = etp_, .pp = spec_.pp, .dp = made_.edp, .ep = spec_.ep, .cp = 1, .gtp = spec_.egtp};
    return MakeGrid(sizes, "ep", made_.expert);
  }

  absl::Status PipelineLast() {
    // Upstream looks at the order as written, capitals and all.
    if (absl::EndsWith(spec_.order, "pp") || spec_.pp == 1 || made_.edp == made_.dp) return absl::OkStatus();
    std::string message =
        absl::StrCat("order: ", Shown(spec_.order), " does not end in pp, so dp ", made_.dp, " and expert dp ",
                     made_.edp, " must be equal, also for a model without experts. ");
    if (absl::EndsWithIgnoreCase(spec_.order, "pp")) {
      absl::StrAppend(&message, "Write it in lower case");
    } else {
      absl::StrAppend(&message, "Put pp last, or choose etp and ep with etp × ep × egtp = tp × cp × gtp");
    }
    return Refuse("pp_not_last_needs_equal_dp", message);
  }

  absl::Status PipelineGroups() {
    auto dense = made_.dense.Groups({"pp"});
    if (!dense.ok()) return dense.status();
    auto expert = made_.expert.Groups({"pp"});
    if (!expert.ok()) return expert.status();
    // Both grids cover the world and their groups ascend, so that equal strides mean equal lists.
    if (dense->inner == expert->inner) return absl::OkStatus();
    return Refuse("pp_groups_must_agree",
                  absl::StrCat("order: ", Shown(spec_.order), " sets pipeline stages ", dense->inner[0].stride,
                               " ranks apart in the dense grid, ", expert->inner[0].stride,
                               " in the expert grid. Put pp last, or make the axes before it equal"));
  }

  absl::Status DenseInstances() {
    const int64_t members = made_.dp * spec_.cp;  // at most the world
    return CheckInstances("dp_cp_divisible_by_distopt", members,
                          [&] { return absl::StrCat("dp ", made_.dp, " × cp ", spec_.cp); });
  }

  absl::Status ExpertInstances() {
    return CheckInstances("expert_dp_divisible_by_distopt", made_.edp, [] { return std::string("expert dp"); });
  }

  absl::Status SharpBarrier() {
    const bool dense = spec_.use_sharp && spec_.sharp_group.value_or("dp") == "dp";
    if (!dense || spec_.revision == MegatronRevision::kBeforeGtp) return absl::OkStatus();
    if (!careful_) {
      return Refuse(
          "upstream_defect_sharp_dp",
          "use_sharp: this revision of Megatron asks for a group before it exists and fails. Use dp_replica, or "
          "another revision");
    }
    made_.notes.push_back(
        "use_sharp for dp: Megatron-LM d98e8a64 fails at its barrier; the groups are those of the revisions that work");
    return absl::OkStatus();
  }

  absl::Status HybridCp() {
    if (!spec_.hybrid_cp) return absl::OkStatus();
    const int64_t members = made_.dp * spec_.cp;
    if (members % 2 != 0) {
      return Refuse("hybrid_cp_needs_even_group", absl::StrCat("hybrid_cp: dp ", made_.dp, " × cp ", spec_.cp, " = ",
                                                               members, " is odd; it needs an even number"));
    }
    if (careful_ && spec_.pp > 1) {
      return Refuse("hybrid_cp_needs_no_pipeline",
                    absl::StrCat("hybrid_cp: needs pp 1, is ", spec_.pp, "; Megatron's launcher refuses it too"));
    }
    return absl::OkStatus();
  }

  absl::Status HierarchicalCp() {
    if (spec_.hcp.empty()) return absl::OkStatus();
    if (spec_.hcp.size() > kMaxLevels) {
      return Refuse("hcp_too_deep", absl::StrCat("hcp: ", spec_.hcp.size(), " levels, at most ", kMaxLevels));
    }
    absl::optional<int64_t> product = 1;
    for (int64_t size : spec_.hcp) {
      product = size < 1 || !product ? absl::nullopt : CheckedProduct({*product, size});
    }
    if (product == spec_.cp) return absl::OkStatus();
    const auto shown = absl::MakeConstSpan(spec_.hcp).subspan(0, 8);
    return Refuse("hcp_product_equals_cp", absl::StrCat("hcp: ", absl::StrJoin(shown, " × "),
                                                        spec_.hcp.size() > 8 ? " × ..." : "", " is not cp ", spec_.cp));
  }

  // Only kUpstream gets here without a tp: it comes to light when the first group over tp is asked for.
  absl::Status TensorToken() {
    auto dense = made_.dense.Groups({"tp"});
    return dense.ok() ? made_.expert.Groups({"tp"}).status() : dense.status();
  }

  absl::Status PipelineBackend() {
    if (!spec_.pp_backend || *spec_.pp_backend == "nccl" || *spec_.pp_backend == "ucc") return absl::OkStatus();
    return Refuse("pp_backend_unknown",
                  absl::StrCat("pp_backend: ", Shown(*spec_.pp_backend), " is neither nccl nor ucc"));
  }

  absl::Status CheckInstances(absl::string_view rule, int64_t members, absl::FunctionRef<std::string()> what) const {
    const int64_t instances = spec_.num_distopt;
    if (instances < 1) return Refuse("zero_size", absl::StrCat("num_distopt: ", instances, " is not at least 1"));
    if (members % instances == 0) return absl::OkStatus();
    return Refuse(rule, absl::StrCat("num_distopt: ", instances, " does not divide ", what(), " = ", members));
  }

  std::vector<Factor> DenseFactors() const {
    std::vector<Factor> factors = {{"tp", spec_.tp}, {"cp", spec_.cp}, {"pp", spec_.pp}};
    if (spec_.gtp != 1) factors.push_back({"gtp", spec_.gtp});
    return factors;
  }

  std::vector<Factor> ExpertFactors() const {
    std::vector<Factor> factors = {{"etp", etp_}, {"ep", spec_.ep}, {"pp", spec_.pp}};
    if (spec_.egtp != 1) factors.push_back({"egtp", spec_.egtp});
    return factors;
  }

  static absl::optional<int64_t> ProductOf(const std::vector<Factor>& factors) {
    absl::optional<int64_t> product = 1;
    for (const Factor& factor : factors) {
      product = product && factor.size > 0 ? CheckedProduct({*product, factor.size}) : absl::nullopt;
    }
    return product;
  }

  // What is left of the world for the data axis.
  absl::StatusOr<int64_t> Divide(absl::string_view rule, const std::vector<Factor>& factors) const {
    for (const Factor& factor : factors) {
      if (factor.size < 1)
        return Refuse("zero_size", absl::StrCat(factor.name, ": ", factor.size, " is not at least 1"));
    }
    const absl::optional<int64_t> product = ProductOf(factors);
    if (product && made_.world % *product == 0) return made_.world / *product;
    const std::string written = absl::StrJoin(factors, " × ", [](std::string* out, const Factor& factor) {
      absl::StrAppend(out, factor.name, " ", factor.size);
    });
    if (!product) {
      return Refuse(rule,
                    absl::StrCat(written, " passes 2^63-1; ", made_.world, " workers cannot be split so. Lower them"));
    }
    return Refuse(rule, absl::StrCat(written, " = ", *product, " does not divide ", made_.world, " workers. ",
                                     NearestWorlds(*product)));
  }

  // Worlds that both grids divide, if there are any within reach.
  std::string NearestWorlds(int64_t product) const {
    absl::optional<int64_t> step = product;
    const auto dense = ProductOf(DenseFactors());
    const auto expert = ProductOf(ExpertFactors());
    if (dense && expert) step = CheckedLcm(*dense, *expert);
    if (!step) step = product;
    const int64_t below = made_.world / *step * *step;
    const bool above_fits = below <= std::numeric_limits<int64_t>::max() - *step;
    if (below == 0) return absl::StrCat("Nearest world: ", *step);
    return absl::StrCat("Nearest worlds: ", below, above_fits ? absl::StrCat(", ", below + *step) : "");
  }

  absl::Status MakeGrid(MegatronSizes sizes, absl::string_view anchor, MegatronGrid& grid) {
    sizes.has_gtp_axis = spec_.revision == MegatronRevision::kGtp;
    const std::string order = sizes.has_gtp_axis ? WithGtpAxis(spec_.order, {anchor, "tp"}, compat_) : spec_.order;
    auto made = MegatronGrid::Create(order, sizes, spec_.rank_offset, compat_);
    if (made.ok()) grid = *std::move(made);
    return made.status();
  }

  const MegatronSpec& spec_;
  const bool careful_;
  const Compat compat_;
  const int64_t etp_;
  MegatronDegrees made_;
};

}  // namespace

absl::StatusOr<MegatronDegrees> CheckMegatronSpec(const MegatronSpec& spec, Compat compat, int64_t world) {
  return Checker(spec, compat, world).Run();
}

}  // namespace muster::mesh
