// Which golden configurations the careful default treats differently from upstream, and how.

#include <fstream>
#include <map>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/mesh/make_mesh.h"
#include "lib/mesh/megatron_grid.h"
#include "lib/mesh/refusal.h"
#include "tests/conformance/family_table.h"
#include "tests/conformance/megatron_args.h"

namespace muster::conformance {
namespace {

using mesh::Compat;
using ::testing::ElementsAre;
using ::testing::Pair;

std::string Verdict(const absl::Status& status) { return status.ok() ? "accepted" : mesh::RuleOf(status); }

// Empty if both do the same and careful has nothing to say.
std::string DifferenceOfMesh(const Json& config) {
  const int64_t world = config["args"]["world"].get<int64_t>();
  const mesh::MegatronSpec spec = MegatronSpecOf(config);
  const auto upstream = mesh::MakeMesh({.compat = Compat::kUpstream, .dialect = spec}, world);
  const auto careful = mesh::MakeMesh({.compat = Compat::kCareful, .dialect = spec}, world);
  if (Verdict(upstream.status()) != Verdict(careful.status())) {
    return absl::StrCat(Verdict(upstream.status()), " -> ", Verdict(careful.status()));
  }
  if (!careful.ok()) return "";
  EXPECT_TRUE((*upstream)->notes().empty()) << config["id"];
  for (const mesh::Family& family : (*careful)->families()) {
    const mesh::Family* other = (*upstream)->Find(family.name());
    if (other == nullptr || TableOf(family) != TableOf(*other)) return absl::StrCat("other groups of ", family.name());
  }
  return (*careful)->notes().empty() ? "" : absl::StrCat("same groups, noted: ", (*careful)->notes()[0]);
}

std::string DifferenceOfGrid(const Json& config) {
  const Json& args = config["args"];
  const mesh::MegatronSizes sizes{
      .tp = args["tp"], .pp = args["pp"], .dp = args["dp"], .ep = args["ep"], .cp = args["cp"], .gtp = args["gtp"]};
  const auto verdict = [&](Compat compat) {
    return Verdict(mesh::MegatronGrid::Create(args["order"].get<std::string>(), sizes, 0, compat).status());
  };
  const std::string upstream = verdict(Compat::kUpstream), careful = verdict(Compat::kCareful);
  return upstream == careful ? "" : absl::StrCat(upstream, " -> ", careful);
}

TEST(MegatronCareful, GoldenConfigurationsTreatedDifferently) {
  std::ifstream stream("tests/conformance/golden/megatron.json");
  const Json file = Json::parse(stream);
  std::map<std::string, std::string> differences;
  for (const Json& config : file["configs"]) {
    const std::string difference =
        config["kind"] == "rank_generator" ? DifferenceOfGrid(config) : DifferenceOfMesh(config);
    if (!difference.empty()) differences[config["id"].get<std::string>()] = difference;
  }
  EXPECT_THAT(differences, ElementsAre(Pair("ag_w32_o2", "accepted -> all_gather_groups_differ"),
                                       Pair("rg_tp_hidden_by_gtp_remat", "accepted -> axis_missing_from_order"),
                                       Pair("w16_upper_case_order_gtp2", "accepted -> order_not_lower_case"),
                                       Pair("w16_upper_case_order_no_gtp",
                                            ::testing::StartsWith("same groups, noted: order has capitals"))));
}

}  // namespace
}  // namespace muster::conformance
