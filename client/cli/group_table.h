#pragma once
// The groups of a mesh, as a table for people and as JSON for programs.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/screen.h"
#include "lib/mesh/mesh.h"

namespace muster::cli {

// The families that are asked for: all with two or more members, those named after an axis first (both empty), one by
// name, or the groups along one axis of either grid. Usage error with the nearest name, and for an axis of size 1.
absl::StatusOr<std::vector<mesh::Family>> ChooseFamilies(const mesh::Mesh& mesh, const std::string& family,
                                                         const std::string& axis);

// One row a family: the group of `rank`. Families that the rank is in no group of are left out.
void PrintGroupsOf(Screen& out, const std::vector<mesh::Family>& families, mesh::GlobalRank rank);
// One row a family: its first groups and a count of the others; all of them, one a row, with `all`.
void PrintAllGroups(Screen& out, const std::vector<mesh::Family>& families, bool all);

// {"rank": 3, "world": 64, "families": [{"family": "tp", "group": 0, "position": 3, "ranks": [0, …]}, …]}
std::string GroupsOfJson(const mesh::Mesh& mesh, const std::vector<mesh::Family>& families, mesh::GlobalRank rank);
// {"world": 64, "families": [{"family": "tp", "groups": [[0, …], …]}, …]}
std::string AllGroupsJson(const mesh::Mesh& mesh, const std::vector<mesh::Family>& families);

// "tp 3  cp 0  dp 0  pp 0", and "   experts: tp 0  ep 3  dp 0" where the expert grid splits an axis that the dense one
// doesn't (a dialect may build an expert grid for a job without experts). Axes of size 1 are left out.
std::string CoordinatesText(const mesh::Mesh& mesh, mesh::GlobalRank rank);

}  // namespace muster::cli
