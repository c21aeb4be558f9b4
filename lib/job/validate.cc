#include "lib/job/validate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/errors.h"
#include "lib/job/mesh_of.h"
#include "lib/mesh/make_mesh.h"

namespace muster {
namespace {

constexpr int64_t kTenYears = int64_t{10} * 366 * 86'400;
constexpr size_t kMaxBytes = 128 * 1024;

std::string Short(absl::string_view text) {
  return absl::StrCat("\"", text.substr(0, 64), text.size() > 64 ? "…\"" : "\"");
}

absl::Status InRange(absl::string_view field, int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high) return absl::OkStatus();
  return FieldError(field, absl::StrCat(value, " is out of range"), absl::StrCat("give ", low, " to ", high));
}

absl::Status AtMost(absl::string_view field, size_t count, size_t most, absl::string_view what) {
  if (count <= most) return absl::OkStatus();
  return FieldError(field, absl::StrCat("there are ", count, " ", what),
                    absl::StrCat("at most ", most, " are allowed"));
}

absl::Status CheckText(absl::string_view field, absl::string_view text, size_t most) {
  if (text.empty()) return FieldError(field, "it is empty", "give it a value, or leave it out");
  if (text.size() > most) {
    return FieldError(field, absl::StrCat(Short(text), " has ", text.size(), " characters"),
                      absl::StrCat("at most ", most, " are allowed"));
  }
  if (text.find('\0') != absl::string_view::npos) return FieldError(field, "it holds a NUL byte", "remove it");
  return absl::OkStatus();
}

// A value that this build doesn't know, from a newer client.
template <typename Enum>
absl::Status CheckEnum(absl::string_view field, Enum value, bool valid) {
  if (valid) return absl::OkStatus();
  return FieldError(field, absl::StrCat(static_cast<int>(value), " is no value that this server knows"),
                    "use one that the contract lists");
}

absl::Status CheckDuration(absl::string_view field, const google::protobuf::Duration& duration) {
  if (duration.seconds() < 0 || duration.nanos() < 0) {
    return FieldError(field, absl::StrCat(duration.seconds(), " s is negative"), "give 0 or more");
  }
  if (duration.seconds() > kTenYears) {
    return FieldError(field, absl::StrCat(duration.seconds(), " s is beyond ten years"), "give less");
  }
  return InRange(field, duration.nanos(), 0, 999'999'999);
}

absl::Status CheckSlices(const v1::JobSpec& spec) {
  const v1::PlacementSpec& placement = spec.placement();
  if (absl::Status s = AtMost("spec.placement.slices", placement.slices_size(), 8, "slices"); !s.ok()) return s;
  const int32_t per_node = std::max(placement.members_per_node(), 1);
  std::set<std::string> tiers;
  for (int i = 0; i < placement.slices_size(); ++i) {
    const v1::PlacementSpec::Slice& slice = placement.slices(i);
    const std::string field = absl::StrCat("spec.placement.slices[", i, "]");
    if (absl::Status s = InRange(field + ".size", slice.size(), 1, spec.members()); !s.ok()) return s;
    if (spec.members() % slice.size() != 0) {
      return FieldError(field + ".size", absl::StrCat(slice.size(), " does not divide ", spec.members(), " members"),
                        "give a divisor of members");
    }
    if (slice.size() % per_node != 0 && per_node % slice.size() != 0) {
      return FieldError(field + ".size",
                        absl::StrCat(slice.size(), " members do not line up with ", per_node, " members a node"),
                        "make one a multiple of the other");
    }
    if (absl::Status s = CheckText(field + ".tier", slice.tier(), 317); !s.ok()) return s;
    if (!tiers.insert(slice.tier()).second) {
      return FieldError(field + ".tier", absl::StrCat(Short(slice.tier()), " has a slice already"), "one slice a tier");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckPerDomain(const v1::JobSpec& spec) {
  const v1::PlacementSpec& placement = spec.placement();
  if (absl::Status s = AtMost("spec.placement.perDomain", placement.per_domain_size(), 8, "entries"); !s.ok()) return s;
  std::set<std::string> tiers;
  for (int i = 0; i < placement.per_domain_size(); ++i) {
    const v1::PlacementSpec::PerDomain& counts = placement.per_domain(i);
    const std::string field = absl::StrCat("spec.placement.perDomain[", i, "]");
    if (absl::Status s = CheckText(field + ".tier", counts.tier(), 317); !s.ok()) return s;
    if (!tiers.insert(counts.tier()).second) {
      return FieldError(field + ".tier", absl::StrCat(Short(counts.tier()), " is there twice"), "one entry a tier");
    }
    if (absl::Status s = InRange(field + ".min", counts.min(), 0, spec.members()); !s.ok()) return s;
    if (counts.max() == 0) continue;
    if (absl::Status s = InRange(field + ".max", counts.max(), std::max(counts.min(), 1), spec.members()); !s.ok()) {
      return s;
    }
  }
  return absl::OkStatus();
}

absl::Status CheckNodeNames(absl::string_view list, const google::protobuf::RepeatedPtrField<std::string>& given,
                            std::set<std::string>& names) {
  const std::string field = absl::StrCat("spec.placement.", list);
  if (absl::Status s = AtMost(field, given.size(), 20'000, "names"); !s.ok()) return s;
  for (int i = 0; i < given.size(); ++i) {
    const std::string at = absl::StrCat(field, "[", i, "]");
    if (absl::Status s = CheckText(at, given[i], 253); !s.ok()) return s;
    if (!names.insert(given[i]).second) {
      return FieldError(at, absl::StrCat(Short(given[i]), " is there twice"), "keep one");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckFamily(absl::string_view field, const std::string& family, const mesh::Mesh* mesh) {
  if (mesh == nullptr) {
    return FieldError(field, absl::StrCat("family ", Short(family), " of a job without a mesh"),
                      "add spec.mesh, or remove it");
  }
  if (mesh->Find(family) != nullptr) return absl::OkStatus();
  std::vector<std::string> names;
  for (const mesh::Family& known : mesh->families()) names.emplace_back(known.name());
  const std::string nearest = NearestName(family, names);
  return FieldError(field, absl::StrCat("the mesh has no family ", Short(family)),
                    absl::StrCat(nearest.empty() ? "" : absl::StrCat("did you mean \"", nearest, "\"? "), "(it has ",
                                 FewNames(names, 8), ")"));
}

absl::Status CheckTraffic(const v1::PlacementSpec& placement, const mesh::Mesh* mesh) {
  if (absl::Status s = AtMost("spec.placement.traffic", placement.traffic_size(), 64, "items"); !s.ok()) return s;
  for (int i = 0; i < placement.traffic_size(); ++i) {
    const v1::TrafficItem& item = placement.traffic(i);
    const std::string field = absl::StrCat("spec.placement.traffic[", i, "]");
    if (absl::Status s = CheckFamily(field + ".family", item.family(), mesh); !s.ok()) return s;
    const bool known = v1::TrafficItem::Pattern_IsValid(item.pattern());
    if (absl::Status s = CheckEnum(field + ".pattern", item.pattern(), known); !s.ok()) return s;
    if (absl::Status s = InRange(field + ".weight", item.weight(), 0, 1'000'000); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status CheckNodeWishes(const v1::PlacementSpec& placement) {
  if (absl::Status s = AtMost("spec.placement.nodeSelector", placement.node_selector_size(), 32, "labels"); !s.ok()) {
    return s;
  }
  for (const auto& [key, value] : placement.node_selector()) {
    const std::string field = absl::StrCat("spec.placement.nodeSelector.", key.substr(0, 64));
    if (absl::Status s = CheckText(field, key, 317); !s.ok()) return s;
    if (value.size() > 256) return CheckText(field, value, 256);
  }
  std::set<std::string> only;
  if (absl::Status s = CheckNodeNames("nodes", placement.nodes(), only); !s.ok()) return s;
  // A node can't be avoided and preferred at once.
  std::set<std::string> wished;
  if (absl::Status s = CheckNodeNames("avoidNodes", placement.avoid_nodes(), wished); !s.ok()) return s;
  if (absl::Status s = CheckNodeNames("preferNodes", placement.prefer_nodes(), wished); !s.ok()) return s;
  return InRange("spec.placement.membersPerNode", placement.members_per_node(), 0, 64);
}

absl::Status CheckPlacement(const v1::JobSpec& spec, const mesh::Mesh* mesh) {
  const v1::PlacementSpec& placement = spec.placement();
  const bool source = v1::PlacementSpec::Source_IsValid(placement.source());
  if (absl::Status s = CheckEnum("spec.placement.source", placement.source(), source); !s.ok()) return s;
  const bool rank_by = v1::PlacementSpec::RankBy_IsValid(placement.rank_by());
  if (absl::Status s = CheckEnum("spec.placement.rankBy", placement.rank_by(), rank_by); !s.ok()) return s;
  for (const auto& [field, tier] : {std::pair<const char*, const std::string&>("required", placement.required()),
                                    std::pair<const char*, const std::string&>("preferred", placement.preferred())}) {
    if (tier.empty()) continue;
    if (absl::Status s = CheckText(absl::StrCat("spec.placement.", field), tier, 317); !s.ok()) return s;
  }
  if (absl::Status s = CheckSlices(spec); !s.ok()) return s;
  if (absl::Status s = InRange("spec.placement.spares", placement.spares(), 0, spec.members()); !s.ok()) return s;
  if (placement.has_preferred_penalty()) {
    const int64_t penalty = placement.preferred_penalty();
    if (absl::Status s = InRange("spec.placement.preferredPenalty", penalty, 0, 1'000'000'000); !s.ok()) return s;
  }
  if (placement.has_spare_weight()) {
    const int64_t weight = placement.spare_weight();
    if (absl::Status s = InRange("spec.placement.spareWeight", weight, 0, 1'000'000); !s.ok()) return s;
  }
  if (absl::Status s = CheckPerDomain(spec); !s.ok()) return s;
  if (placement.has_apart()) {
    if (absl::Status s = CheckText("spec.placement.apart.axis", placement.apart().axis(), 64); !s.ok()) return s;
    if (absl::Status s = CheckText("spec.placement.apart.tier", placement.apart().tier(), 317); !s.ok()) return s;
  }
  if (absl::Status s = CheckTraffic(placement, mesh); !s.ok()) return s;
  return CheckNodeWishes(placement);
}

absl::Status CheckSelfTest(const v1::SelfTestSpec& test, const mesh::Mesh* mesh) {
  const bool profile = v1::SelfTestSpec::Profile_IsValid(test.profile());
  if (absl::Status s = CheckEnum("spec.selfTest.profile", test.profile(), profile); !s.ok()) return s;
  const std::vector<std::string> backends = {"gloo", "nccl", "simulated"};
  if (!test.backend().empty() && std::find(backends.begin(), backends.end(), test.backend()) == backends.end()) {
    const std::string nearest = NearestName(test.backend(), backends);
    return FieldError(
        "spec.selfTest.backend", absl::StrCat(Short(test.backend()), " is unknown"),
        nearest.empty() ? absl::StrCat("use one of ", absl::StrJoin(backends, ", "))
                        : absl::StrCat("did you mean \"", nearest, "\"? (known: ", absl::StrJoin(backends, ", "), ")"));
  }
  if (absl::Status s = CheckDuration("spec.selfTest.maxAge", test.max_age()); !s.ok()) return s;
  if (absl::Status s = AtMost("spec.selfTest.floorGbps", test.floor_gbps_size(), 64, "floors"); !s.ok()) return s;
  // Maps have no order of their own.
  const std::map<std::string, double> floors(test.floor_gbps().begin(), test.floor_gbps().end());
  for (const auto& [family, floor] : floors) {
    const std::string field = absl::StrCat("spec.selfTest.floorGbps.", family.substr(0, 64));
    if (absl::Status s = CheckFamily(field, family, mesh); !s.ok()) return s;
    if (!std::isfinite(floor) || floor < 0) {
      return FieldError(field, absl::StrCat(floor, " is no bandwidth"), "give GB/s, 0 or more");
    }
  }
  const double ratio = test.min_sibling_ratio();
  if (ratio != 0 && !(ratio > 0 && ratio < 1)) {
    return FieldError("spec.selfTest.minSiblingRatio", absl::StrCat(ratio, " is not between 0 and 1"),
                      "give a share of the siblings' median, say 0.85");
  }
  return CheckDuration("spec.selfTest.deadline", test.deadline());
}

absl::Status CheckEnvironment(const v1::LaunchSpec& launch) {
  if (absl::Status s = AtMost("spec.launch.env", launch.env_size(), 256, "entries"); !s.ok()) return s;
  size_t bytes = 0;
  const std::map<std::string, std::string> env(launch.env().begin(), launch.env().end());
  for (const auto& [name, value] : env) {
    const std::string field = absl::StrCat("spec.launch.env.", name.substr(0, 64));
    if (absl::Status s = CheckText(field, name, 256); !s.ok()) return s;
    if (name.find('=') != std::string::npos) return FieldError(field, "the name holds a '='", "rename it");
    if (value.find('\0') != std::string::npos) return FieldError(field, "the value holds a NUL byte", "remove it");
    bytes += name.size() + value.size() + 2;
  }
  return AtMost("spec.launch.env", bytes, kMaxBytes, "bytes");
}

absl::Status CheckCommand(const v1::LaunchSpec& launch) {
  if (absl::Status s = AtMost("spec.launch.command", launch.command_size(), 256, "items"); !s.ok()) return s;
  size_t bytes = 0;
  for (int i = 0; i < launch.command_size(); ++i) {
    if (launch.command(i).find('\0') != std::string::npos) {
      return FieldError(absl::StrCat("spec.launch.command[", i, "]"), "it holds a NUL byte", "remove it");
    }
    bytes += launch.command(i).size() + 1;
  }
  if (absl::Status s = AtMost("spec.launch.command", bytes, kMaxBytes, "bytes"); !s.ok()) return s;
  const std::string kind = launch.kind() == v1::LaunchSpec::AGENT ? "agent" : "command";
  const bool needed = launch.kind() == v1::LaunchSpec::AGENT || launch.kind() == v1::LaunchSpec::COMMAND;
  if (needed && (launch.command_size() == 0 || launch.command(0).empty())) {
    return FieldError("spec.launch.command", absl::StrCat("launch kind ", kind, " has no program to start"),
                      "give a list: [python, train.py]");
  }
  const bool external = launch.kind() == v1::LaunchSpec::EXTERNAL ||
                        launch.kind() == v1::LaunchSpec::KIND_UNSPECIFIED || launch.kind() == v1::LaunchSpec::TEST_ONLY;
  if (external && launch.command_size() > 0) {
    return FieldError("spec.launch.command",
                      absl::StrCat(Short(launch.command(0)), " would never be started by this launch kind"),
                      "set launch.kind: agent, or remove it");
  }
  return absl::OkStatus();
}

absl::Status CheckLaunch(const v1::JobSpec& spec) {
  const v1::LaunchSpec& launch = spec.launch();
  const bool kind = v1::LaunchSpec::Kind_IsValid(launch.kind());
  if (absl::Status s = CheckEnum("spec.launch.kind", launch.kind(), kind); !s.ok()) return s;
  if (absl::Status s = CheckCommand(launch); !s.ok()) return s;
  if (absl::Status s = CheckEnvironment(launch); !s.ok()) return s;
  const v1::PlacementSpec::Source source = spec.placement().source();
  const bool foreign = source == v1::PlacementSpec::KUEUE || source == v1::PlacementSpec::BOUND;
  const bool external = launch.kind() == v1::LaunchSpec::KIND_UNSPECIFIED || launch.kind() == v1::LaunchSpec::EXTERNAL;
  if (foreign && !external) {
    return FieldError("spec.launch.kind", "Muster can't start workers on nodes that another scheduler chooses",
                      "set launch.kind: external, or placement.source: muster");
  }
  if (launch.kind() == v1::LaunchSpec::TEST_ONLY && spec.self_test().profile() == v1::SelfTestSpec::NONE) {
    return FieldError("spec.selfTest.profile", "none, in a job that is only a test", "choose quick, standard or soak");
  }
  if (!launch.working_dir().empty()) {
    if (absl::Status s = CheckText("spec.launch.workingDir", launch.working_dir(), 4096); !s.ok()) return s;
    if (launch.working_dir()[0] != '/') {
      return FieldError("spec.launch.workingDir", absl::StrCat(Short(launch.working_dir()), " is not absolute"),
                        "begin it with /");
    }
  }
  return InRange("spec.launch.leaderPort", launch.leader_port(), 0, 65'535);
}

absl::Status CheckLimits(const v1::LimitsSpec& limits) {
  if (absl::Status s = InRange("spec.limits.maxTries", limits.max_tries(), 0, 100); !s.ok()) return s;
  if (absl::Status s = InRange("spec.limits.maxRestarts", limits.max_restarts(), 0, 1'000); !s.ok()) return s;
  const std::pair<const char*, const google::protobuf::Duration*> durations[] = {
      {"assembleDeadline", &limits.assemble_deadline()},
      {"repairDeadline", &limits.repair_deadline()},
      {"stopDeadline", &limits.stop_deadline()},
      {"exitGrace", &limits.exit_grace()},
      {"unknownGrace", &limits.unknown_grace()},
      {"deadline", &limits.deadline()},
      {"maxDuration", &limits.max_duration()}};
  for (const auto& [field, duration] : durations) {
    if (absl::Status s = CheckDuration(absl::StrCat("spec.limits.", field), *duration); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status CheckAnnotations(const v1::JobSpec& spec) {
  if (absl::Status s = AtMost("spec.annotations", spec.annotations_size(), 64, "entries"); !s.ok()) return s;
  const std::map<std::string, std::string> annotations(spec.annotations().begin(), spec.annotations().end());
  for (const auto& [key, value] : annotations) {
    const std::string field = absl::StrCat("spec.annotations.", key.substr(0, 64));
    if (absl::Status s = CheckText(field, key, 256); !s.ok()) return s;
    if (value.size() > 4096) return CheckText(field, value, 4096);
  }
  return absl::OkStatus();
}

// The dp that a user gave against the one that the others leave.
absl::Status CheckDp(const v1::MeshSpec& spec, const mesh::Mesh& mesh, int64_t world) {
  for (const v1::MeshSpec::Axis& axis : spec.axes()) {
    if (axis.name() != "dp") continue;
    const absl::optional<size_t> dp = mesh.dense().Find("dp");
    const int64_t left = dp ? mesh.dense().size(*dp) : 1;
    if (left == axis.size()) continue;
    return FieldError(
        "spec.mesh.axes.dp",
        absl::StrCat(axis.size(), " does not fit: the other axes leave dp ", left, " of ", world, " workers"),
        absl::StrCat("give ", left, ", leave it out, or change members"));
  }
  return absl::OkStatus();
}

int64_t World(const v1::JobSpec& spec) {
  return int64_t{std::max(spec.members(), 1)} * std::max(spec.workers_per_member(), 1);
}

}  // namespace

absl::Status ValidateDnsLabel(absl::string_view field, absl::string_view value) {
  const char* way_out = "use 1 to 63 of a-z, 0-9 and '-', with a letter or digit at both ends";
  if (value.empty()) return FieldError(field, "it is empty", way_out);
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  const bool good = value.size() <= 63 && plain(value.front()) && plain(value.back()) &&
                    std::all_of(value.begin(), value.end(), [&](char c) { return plain(c) || c == '-'; });
  if (good) return absl::OkStatus();
  return FieldError(field, absl::StrCat(Short(value), " is no DNS label"), way_out);
}

absl::StatusOr<std::shared_ptr<const mesh::Mesh>> MeshOf(const v1::JobSpec& spec) {
  if (!spec.has_mesh()) return std::shared_ptr<const mesh::Mesh>();
  const auto wanted = MeshSpecOf(spec.mesh());
  if (!wanted.ok()) return wanted.status();
  auto made = mesh::MakeMesh(*wanted, World(spec));
  if (!made.ok()) {
    // lib/mesh ends a refusal with the way out, a sentence of its own.
    const std::string said(made.status().message());
    const size_t end = said.rfind(". ");
    return FieldError("spec.mesh",
                      absl::StrCat(said.substr(0, end), " (spec.members ", spec.members(), " × spec.workersPerMember ",
                                   std::max(spec.workers_per_member(), 1), " = ", World(spec), " workers)"),
                      end == std::string::npos ? "change the degrees or the number of workers" : said.substr(end + 2));
  }
  if (absl::Status status = CheckDp(spec.mesh(), **made, World(spec)); !status.ok()) return status;
  return made;
}

absl::Status ValidateJob(absl::string_view ns, absl::string_view name, const v1::JobSpec& spec) {
  if (!ns.empty()) {
    if (absl::Status s = ValidateDnsLabel("namespace", ns); !s.ok()) return s;
  }
  if (absl::Status s = ValidateDnsLabel("name", name); !s.ok()) return s;
  if (absl::Status s = InRange("spec.members", spec.members(), 1, 1'000'000); !s.ok()) return s;
  if (absl::Status s = InRange("spec.workersPerMember", spec.workers_per_member(), 0, 1'024); !s.ok()) return s;
  const auto mesh = MeshOf(spec);
  if (!mesh.ok()) return mesh.status();
  if (absl::Status s = CheckPlacement(spec, mesh->get()); !s.ok()) return s;
  if (absl::Status s = CheckSelfTest(spec.self_test(), mesh->get()); !s.ok()) return s;
  if (absl::Status s = CheckLaunch(spec); !s.ok()) return s;
  if (absl::Status s = InRange("spec.priority", spec.priority(), -1'000'000, 1'000'000); !s.ok()) return s;
  if (!spec.priority_class().empty()) {
    if (absl::Status s = ValidateDnsLabel("spec.priorityClass", spec.priority_class()); !s.ok()) return s;
  }
  if (absl::Status s = CheckLimits(spec.limits()); !s.ok()) return s;
  return CheckAnnotations(spec);
}

}  // namespace muster
