#include "lib/job/mesh_of.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/errors.h"

namespace muster {
namespace {

absl::Status CheckAxes(const v1::MeshSpec& spec, absl::string_view dialect) {
  constexpr int kMaxAxisNames = 32;
  if (spec.axes_size() > kMaxAxisNames) {
    return FieldError("spec.mesh.axes", absl::StrCat("there are ", spec.axes_size(), " axes"),
                      absl::StrCat("at most ", kMaxAxisNames, " are allowed"));
  }
  const std::vector<std::string>& known = AxisNames(dialect);
  std::set<std::string> seen;
  for (const v1::MeshSpec::Axis& axis : spec.axes()) {
    const std::string field = absl::StrCat("spec.mesh.axes.", axis.name().substr(0, 64));
    if (axis.name().empty()) return FieldError("spec.mesh.axes", "an axis has no name", "name every axis");
    if (axis.name().size() > 64) {
      return FieldError(field, absl::StrCat("the name has ", axis.name().size(), " characters"),
                        "at most 64 are allowed");
    }
    if (!seen.insert(axis.name()).second) return FieldError(field, "the axis is there twice", "keep one");
    if (!known.empty() && std::find(known.begin(), known.end(), axis.name()) == known.end()) {
      const std::string nearest = NearestName(axis.name(), known);
      return FieldError(field, "unknown axis",
                        absl::StrCat(nearest.empty() ? "" : absl::StrCat("did you mean \"", nearest, "\"? "), "(",
                                     dialect, " knows ", absl::StrJoin(known, ", "), ")"));
    }
    if (axis.size() < 1) return FieldError(field, absl::StrCat(axis.size(), " is below 1"), "give 1 or more");
  }
  return absl::OkStatus();
}

absl::Status CheckOptions(const v1::MeshSpec& spec, absl::string_view dialect) {
  const std::pair<const char*, bool> given[] = {{"megatron", spec.has_megatron()},
                                                {"deepspeed", spec.has_deepspeed()},
                                                {"torch", spec.has_torch()},
                                                {"nemo", spec.has_nemo()}};
  for (const auto& [name, has] : given) {
    if (!has || dialect == name) continue;
    return FieldError(absl::StrCat("spec.mesh.", name), absl::StrCat("options of ", name, " with dialect ", dialect),
                      absl::StrCat("remove them, or set dialect: ", name));
  }
  if (dialect != "megatron" && !spec.order().empty()) {
    return FieldError("spec.mesh.order", absl::StrCat("\"", spec.order().substr(0, 64), "\" with dialect ", dialect),
                      "only megatron has an order string; the sequence of the axes says it here");
  }
  if (spec.permutation_size() > 0 && dialect != "torch" && dialect != "nemo") {
    return FieldError("spec.mesh.permutation", absl::StrCat("a permutation with dialect ", dialect),
                      "only torch and nemo take one");
  }
  if (dialect == "megatron" && spec.megatron().rank_offset() != 0) {
    return FieldError("spec.mesh.megatron.rankOffset", absl::StrCat(spec.megatron().rank_offset(), " is not 0"),
                      "a job's world starts at rank 0: leave it out");
  }
  return absl::OkStatus();
}

mesh::MegatronSpec MegatronOf(const v1::MeshSpec& spec) {
  mesh::MegatronSpec made;
  for (const v1::MeshSpec::Axis& axis : spec.axes()) {
    if (axis.name() == "tp") made.tp = axis.size();
    if (axis.name() == "cp") made.cp = axis.size();
    if (axis.name() == "pp") made.pp = axis.size();
    if (axis.name() == "ep") made.ep = axis.size();
    if (axis.name() == "etp") made.etp = axis.size();
    if (axis.name() == "gtp") made.gtp = axis.size();
    if (axis.name() == "egtp") made.egtp = axis.size();
  }
  if (!spec.order().empty()) made.order = spec.order();
  const v1::MegatronOptions& options = spec.megatron();
  if (options.num_distributed_optimizer_instances() != 0) {
    made.num_distopt = options.num_distributed_optimizer_instances();
  }
  made.hcp.assign(options.hierarchical_context_parallel_sizes().begin(),
                  options.hierarchical_context_parallel_sizes().end());
  made.hybrid_cp = options.hybrid_context_parallel();
  if (options.virtual_pipeline_parallel_size() != 0) made.vpp = options.virtual_pipeline_parallel_size();
  if (options.gtp_place() == v1::MegatronOptions::AFTER_CP) made.gtp_place = mesh::GtpPlace::kAfterCp;
  if (options.has_gloo()) made.gloo = options.gloo();
  if (!options.sharp_group().empty()) {
    made.use_sharp = true;
    made.sharp_group = options.sharp_group();
  }
  return made;
}

std::vector<mesh::Axis> AxesOf(const v1::MeshSpec& spec) {
  std::vector<mesh::Axis> axes;
  for (const v1::MeshSpec::Axis& axis : spec.axes()) axes.push_back({axis.name(), axis.size()});
  return axes;
}

mesh::DeepSpeedSpec DeepSpeedOf(const v1::MeshSpec& spec) {
  mesh::DeepSpeedSpec made;
  made.axes = AxesOf(spec);
  made.expert_parallel_size = spec.deepspeed().expert_parallel_size();
  made.data_before_expert = spec.deepspeed().data_before_expert();
  return made;
}

mesh::TorchSpec TorchOf(const v1::MeshSpec& spec) {
  mesh::TorchSpec made;
  made.dims = AxesOf(spec);
  made.ranks.assign(spec.permutation().begin(), spec.permutation().end());
  for (const v1::TorchOptions::Flatten& flatten : spec.torch().flatten()) {
    made.flattened.push_back({{flatten.axes().begin(), flatten.axes().end()}, flatten.name()});
  }
  if (spec.torch().older_group_order()) made.group_order = mesh::GroupOrder::kSwapDims;
  return made;
}

mesh::NemoSpec NemoOf(const v1::MeshSpec& spec) {
  mesh::NemoSpec made;
  made.axes = AxesOf(spec);
  made.layout.assign(spec.permutation().begin(), spec.permutation().end());
  const v1::NemoOptions& options = spec.nemo();
  made.dispatch.sharded.assign(options.sharded_axes().begin(), options.sharded_axes().end());
  if (made.dispatch.sharded.empty()) {
    for (const mesh::Axis& axis : made.axes) {
      if (axis.name == mesh::kDataParallel) made.dispatch.sharded.push_back(axis.name);
    }
  }
  made.dispatch.replicated.assign(options.replicated_axes().begin(), options.replicated_axes().end());
  made.dispatch.output_replicated.assign(options.output_replicated_axes().begin(),
                                         options.output_replicated_axes().end());
  return made;
}

}  // namespace

const std::vector<std::string>& DialectNames() {
  static const auto& names = *new std::vector<std::string>{"megatron", "deepspeed", "torch", "nemo"};
  return names;
}

const std::vector<std::string>& AxisNames(absl::string_view dialect) {
  static const auto& megatron = *new std::vector<std::string>{"tp", "cp", "dp", "pp", "ep", "etp", "gtp", "egtp"};
  static const auto& any = *new std::vector<std::string>;
  return dialect == "megatron" ? megatron : any;
}

absl::StatusOr<mesh::MeshSpec> MeshSpecOf(const v1::MeshSpec& spec) {
  const std::string dialect = spec.dialect().empty() ? "megatron" : spec.dialect();
  const std::vector<std::string>& dialects = DialectNames();
  if (std::find(dialects.begin(), dialects.end(), dialect) == dialects.end()) {
    const std::string nearest = NearestName(dialect, dialects);
    return FieldError(
        "spec.mesh.dialect", absl::StrCat("\"", dialect.substr(0, 64), "\" is unknown"),
        nearest.empty() ? absl::StrCat("use one of ", absl::StrJoin(dialects, ", "))
                        : absl::StrCat("did you mean \"", nearest, "\"? (known: ", absl::StrJoin(dialects, ", "), ")"));
  }
  if (absl::Status status = CheckAxes(spec, dialect); !status.ok()) return status;
  if (absl::Status status = CheckOptions(spec, dialect); !status.ok()) return status;
  mesh::MeshSpec made;
  if (spec.compat() == v1::MeshSpec::UPSTREAM) made.compat = mesh::Compat::kUpstream;
  if (dialect == "megatron") made.dialect = MegatronOf(spec);
  if (dialect == "deepspeed") made.dialect = DeepSpeedOf(spec);
  if (dialect == "torch") made.dialect = TorchOf(spec);
  if (dialect == "nemo") made.dialect = NemoOf(spec);
  return made;
}

}  // namespace muster
