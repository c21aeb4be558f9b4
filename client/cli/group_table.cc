#include "client/cli/group_table.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/exit_code.h"
#include "client/cli/format.h"
#include "client/cli/table.h"
#include "lib/base/errors.h"

namespace muster::cli {
namespace {

constexpr int64_t kShownGroups = 4;
constexpr int64_t kShownMembers = 4096;

// Members of a group, cut for people: nobody reads more.
std::string MembersText(const mesh::Group& group, size_t most) {
  std::vector<int64_t> members;
  const int64_t shown = std::min(group.size(), kShownMembers);
  for (int64_t j = 0; j < shown; ++j) members.push_back(group.member(j));
  std::string text = RangesText(members, most);
  if (shown < group.size()) absl::StrAppend(&text, ",… ", Thousands(group.size() - shown), " more");
  return text;
}

absl::Status UnknownName(const std::string& flag, const std::string& name, std::vector<std::string> known) {
  const std::string nearest = NearestName(name, known);
  return UsageError(absl::StrCat("--", flag, " ", name, ": this mesh has none",
                                 nearest.empty() ? "" : absl::StrCat("; did you mean \"", nearest, "\"?")),
                    absl::StrCat("it has ", absl::StrJoin(known, ", ")));
}

// The axis that a family is named after, dense ones first; all others come last.
size_t AxisPlace(const mesh::Mesh& mesh, const mesh::Family& family) {
  if (const auto axis = mesh.dense().Find(family.name())) return *axis;
  if (mesh.expert() != nullptr) {
    if (const auto axis = mesh.expert()->Find(family.name())) return mesh::kMaxAxes + *axis;
  }
  return 2 * mesh::kMaxAxes;
}

absl::StatusOr<mesh::Family> AlongAxis(const mesh::Mesh& mesh, const std::string& axis) {
  std::vector<std::string> known;
  for (const mesh::Grid* grid : {&mesh.dense(), mesh.expert()}) {
    if (grid == nullptr) continue;
    for (size_t a = 0; a < grid->axes().size(); ++a) {
      known.push_back(grid->axes()[a].name);
      if (known.back() != axis) continue;
      if (grid->size(a) == 1) {
        // The other grid may split it.
        if (grid != mesh.expert() && mesh.expert() != nullptr && mesh.expert()->Find(axis)) continue;
        return UsageError(absl::StrCat("--axis ", axis, ": of size 1, every worker is alone on it"));
      }
      return mesh::Family(axis, mesh::GridLayout(*grid, mesh::AxisSet().set(a)));
    }
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  return UnknownName("axis", axis, std::move(known));
}

std::string OneGridText(const mesh::Coordinates& coordinates) {
  std::vector<std::string> parts;
  for (const mesh::AxisCoordinate& c : coordinates) {
    if (c.size > 1) parts.push_back(absl::StrCat(c.axis, " ", c.index));
  }
  return absl::StrJoin(parts, "  ");
}

}  // namespace

absl::StatusOr<std::vector<mesh::Family>> ChooseFamilies(const mesh::Mesh& mesh, const std::string& family,
                                                         const std::string& axis) {
  std::vector<mesh::Family> chosen;
  if (!axis.empty()) {
    absl::StatusOr<mesh::Family> along = AlongAxis(mesh, axis);
    if (!along.ok()) return along.status();
    chosen.push_back(*std::move(along));
    return chosen;
  }
  if (!family.empty()) {
    if (const mesh::Family* found = mesh.Find(family)) {
      chosen.push_back(*found);
      return chosen;
    }
    std::vector<std::string> known;
    for (const mesh::Family& each : mesh.families()) known.emplace_back(each.name());
    return UnknownName("family", family, std::move(known));
  }
  for (const mesh::Family& each : mesh.families()) {
    if (each.max_size() > 1) chosen.push_back(each);
  }
  // What is asked for most stands first.
  std::stable_sort(chosen.begin(), chosen.end(), [&](const mesh::Family& a, const mesh::Family& b) {
    return AxisPlace(mesh, a) < AxisPlace(mesh, b);
  });
  return chosen;
}

void PrintGroupsOf(Screen& out, const std::vector<mesh::Family>& families, mesh::GlobalRank rank) {
  Table table({{"FAMILY"}, {"RANKS"}, {"SIZE", true}, {"POSITION", true}, {"GROUP", true}});
  for (const mesh::Family& family : families) {
    const auto membership = family.GroupOf(rank);
    if (!membership) continue;
    table.Row({std::string(family.name()), MembersText(membership->group, 8), Thousands(membership->group.size()),
               absl::StrCat(membership->position),
               absl::StrCat(Thousands(membership->group_index), " of ", Thousands(family.count()))});
  }
  if (table.empty()) {
    out.Line("in no group of these");
  } else {
    table.Print(out);
  }
}

void PrintAllGroups(Screen& out, const std::vector<mesh::Family>& families, bool all) {
  Table table({{"FAMILY"}, {all ? "GROUP" : "GROUPS", true}, {"RANKS"}});
  for (const mesh::Family& family : families) {
    const std::string name(family.name());
    if (all) {
      for (int64_t g = 0; g < family.count(); ++g) {
        table.Row({name, Thousands(g), MembersText(family.group(g), 64)});
      }
      continue;
    }
    std::vector<std::string> groups;
    for (int64_t g = 0; g < std::min(family.count(), kShownGroups); ++g)
      groups.push_back(MembersText(family.group(g), 4));
    if (family.count() > kShownGroups)
      groups.push_back(absl::StrCat("… ", Thousands(family.count() - kShownGroups), " more"));
    table.Row({name, absl::StrCat(Thousands(family.count()), " × ", Thousands(family.max_size())),
               absl::StrJoin(groups, "  ")});
  }
  table.Print(out);
}

std::string GroupsOfJson(const mesh::Mesh& mesh, const std::vector<mesh::Family>& families, mesh::GlobalRank rank) {
  nlohmann::ordered_json json;
  json["rank"] = rank;
  json["world"] = mesh.world();
  json["families"] = nlohmann::ordered_json::array();
  for (const mesh::Family& family : families) {
    const auto membership = family.GroupOf(rank);
    if (!membership) continue;
    json["families"].push_back({{"family", std::string(family.name())},
                                {"group", membership->group_index},
                                {"position", membership->position},
                                {"ranks", membership->group.Members()}});
  }
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string AllGroupsJson(const mesh::Mesh& mesh, const std::vector<mesh::Family>& families) {
  nlohmann::ordered_json json;
  json["world"] = mesh.world();
  json["families"] = nlohmann::ordered_json::array();
  for (const mesh::Family& family : families) {
    nlohmann::ordered_json groups = nlohmann::ordered_json::array();
    for (int64_t g = 0; g < family.count(); ++g) groups.push_back(family.group(g).Members());
    json["families"].push_back({{"family", std::string(family.name())}, {"groups", std::move(groups)}});
  }
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string CoordinatesText(const mesh::Mesh& mesh, mesh::GlobalRank rank) {
  const mesh::Coordinates dense = mesh.DenseCoordinates(rank), expert = mesh.ExpertCoordinates(rank);
  const std::string text = OneGridText(dense);
  const bool experts = std::any_of(expert.begin(), expert.end(), [&](const mesh::AxisCoordinate& e) {
    return e.size > 1 && std::none_of(dense.begin(), dense.end(),
                                      [&](const mesh::AxisCoordinate& d) { return d.axis == e.axis && d.size > 1; });
  });
  return experts ? absl::StrCat(text, "   experts: ", OneGridText(expert)) : text;
}

}  // namespace muster::cli
