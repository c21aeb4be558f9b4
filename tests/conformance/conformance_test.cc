#include "tests/conformance/conformance.h"

#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/mesh/compat.h"
#include "tests/conformance/tables.h"

namespace muster::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string GoldenPath(const std::string& file) { return absl::StrCat("tests/conformance/golden/", file, ".json"); }

Json Golden(const std::string& file) {
  std::ifstream stream(GoldenPath(file));
  return Json::parse(stream);
}

// The file with only the configuration `id`, changed by `change`.
Json WithOne(const Json& file, const std::string& id, const std::function<void(Json&)>& change) {
  Json changed = {{"framework", file["framework"]}, {"schema", file["schema"]}, {"configs", Json::array()}};
  for (const Json& config : file["configs"]) {
    if (config["id"] == id) changed["configs"].push_back(config);
  }
  change(changed["configs"].at(0));
  return changed;
}

struct File {
  std::string name;
  std::string dialect;
  int64_t configs;
};
const File kFiles[] = {{"deepspeed", "deepspeed", 64},
                       {"megatron", "megatron", 229},
                       {"torch_mesh", "torch", 31},
                       {"nemo_rl", "nemo", 71}};

class GoldenFile : public ::testing::TestWithParam<File> {};

TEST_P(GoldenFile, EveryConfigurationIsEqual) {
  const auto result = CheckFile(GoldenPath(GetParam().name));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(Report(*result),
            absl::StrCat(GetParam().dialect, ": ", GetParam().configs, " of ", GetParam().configs, "\n"));
}

// Each number, text and flag below `value`, with its path; list places, ranks and family names are left out of the
// path, so that one leaf stands for all of its kind.
void Leaves(Json& value, const std::string& path, std::map<std::string, Json*>& leaves) {
  if (value.is_array()) {
    for (Json& entry : value) Leaves(entry, path + "[]", leaves);
  } else if (value.is_object()) {
    for (auto& [key, entry] : value.items()) {
      const bool is_rank = !key.empty() && key.find_first_not_of("0123456789/") == std::string::npos;
      const bool is_family = path == ".families" || path == ".placement_8_per_node";
      Leaves(entry, absl::StrCat(path, ".", is_rank || is_family ? "N" : key), leaves);
    }
  } else {
    leaves.emplace(path, &value);
  }
}

// Inputs, and what is not ours to reproduce.
bool IsCompared(const std::string& path) {
  for (absl::string_view skipped : {".id", ".kind", ".args", ".ok", ".seed", ".error.type", ".upstream_commit"}) {
    if (absl::StartsWith(path, skipped)) return false;
  }
  return !absl::StrContains(path, ".where") && !absl::EndsWith(path, ".error.type") &&
         !absl::StrContains(path, ".names");
}

void Change(Json& leaf) {
  if (leaf.is_boolean()) {
    leaf = !leaf.get<bool>();
  } else if (leaf.is_number()) {
    leaf = leaf.get<int64_t>() + 1;
  } else {
    leaf = "changed";
  }
}

TEST_P(GoldenFile, AnyChangedValueIsNoticed) {
  constexpr size_t kLongest = 20000;
  const Json file = Golden(GetParam().name);
  // The shortest first: each kind of value is tried in the configuration that is quickest to compute.
  std::multimap<size_t, Json> by_length;
  for (const Json& config : file["configs"]) by_length.emplace(config.dump().size(), config);
  std::set<std::string> tried;
  for (auto& [length, config] : by_length) {
    if (length > kLongest) break;
    std::map<std::string, Json*> leaves;
    Leaves(config, "", leaves);
    for (const auto& [path, leaf] : leaves) {
      if (!IsCompared(path) || !tried.insert(absl::StrCat(config["kind"].get<std::string>(), path)).second) continue;
      const Json before = *leaf;
      Change(*leaf);
      const Json changed = {{"framework", file["framework"]}, {"schema", file["schema"]}, {"configs", {config}}};
      const auto result = CheckText("changed", changed.dump());
      EXPECT_TRUE(!result.ok() || result->differing.size() == 1)
          << config["id"] << path << " = " << before << " went unnoticed as " << *leaf;
      *leaf = before;
    }
  }
  EXPECT_GT(tried.size(), 20u);
}

TEST_P(GoldenFile, UnknownFieldIsNoticed) {
  const Json file = Golden(GetParam().name);
  for (const Json& config : file["configs"]) {
    if (!config["ok"].get<bool>()) continue;
    const std::string id = config["id"].get<std::string>();
    const auto result = CheckText("f", WithOne(file, id, [](Json& c) { c["colour"] = "red"; }).dump());
    ASSERT_TRUE(result.ok()) << result.status();
    ASSERT_EQ(result->differing.size(), 1u) << id;
    EXPECT_THAT(result->differing[0].second, ElementsAre(HasSubstr("colour"))) << id;
    break;
  }
}

TEST_P(GoldenFile, RefusalAndAcceptanceSwapped_IsNoticed) {
  const Json file = Golden(GetParam().name);
  for (const Json& config : file["configs"]) {
    const auto result = CheckText("f", WithOne(file, config["id"].get<std::string>(), [](Json& c) {
                                         c["ok"] = !c["ok"].get<bool>();
                                         c["error"] = {{"type", "KeyError"}, {"rule", "no such rule"}};
                                       }).dump());
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->differing.size(), 1u) << config["id"];
    if (config["args"].dump().size() > 60) break;
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, GoldenFile, ::testing::ValuesIn(kFiles),
                         [](const auto& param) { return param.param.dialect; });

// What the default refuses, or does otherwise, among the golden configurations; docs/decisions.md says why.
TEST(CarefulDefault, DiffersOnlyWhereDecided) {
  const std::map<std::string, std::vector<std::string>> decided = {
      {"megatron",
       {"w16_upper_case_order_no_gtp", "w16_upper_case_order_gtp2", "ag_w32_o2", "rg_tp_hidden_by_gtp_remat"}},
      {"deepspeed", {}},
      {"torch_mesh", {}},
      {"nemo_rl",
       {"seed_B_other_calls_skip_gtp", "output_replicated_on_sharded_axis", "output_replicated_unknown_axis"}}};
  for (const auto& [file, ids] : decided) {
    const auto result = CheckFile(GoldenPath(file), mesh::Compat::kCareful);
    ASSERT_TRUE(result.ok()) << result.status();
    std::vector<std::string> differing;
    for (const auto& [id, lines] : result->differing) differing.push_back(id);
    EXPECT_EQ(differing, ids) << file;
  }
}

TEST(CheckText, OneRankChanged_NamesTheConfigurationAndTheGroup) {
  const Json changed =
      WithOne(Golden("deepspeed"), "pmd_pp2_mp4_dp4", [](Json& c) { c["comm_lists"]["data"]["groups"][1][2] = 10; });
  const auto result = CheckText("f", changed.dump());
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(
      Report(*result),
      "deepspeed: 0 of 1\n  pmd_pp2_mp4_dp4: comm_lists.data.groups[1]: golden [1,5,10,13], computed [1,5,9,13]\n");
}

TEST(CheckText, OneRuleChanged_NamesBothRules) {
  const Json changed = WithOne(Golden("nemo_rl"), "bad_ragged", [](Json& c) { c["error"]["rule"] = "integer_ranks"; });
  const auto result = CheckText("f", changed.dump());
  ASSERT_TRUE(result.ok());
  EXPECT_THAT(Report(*result),
              HasSubstr("bad_ragged: error.rule: golden integer_ranks, computed layout_rectangular ("));
}

TEST(Report, ManyDifferences_NamesThreeAndCounts) {
  FileResult result{.dialect = "torch", .configs = 10, .differing = {}};
  for (int i = 0; i < 5; ++i) result.differing.push_back({absl::StrCat("c", i), {"a: x", "b: y"}});
  EXPECT_EQ(Report(result),
            "torch: 5 of 10\n  c0: a: x (and 1 more)\n  c1: a: x (and 1 more)\n  c2: a: x (and 1 more)\n"
            "  and 2 more configurations\n");
}

TEST(CheckText, NotThisSchema_SaysWhat) {
  struct {
    std::string text;
    std::string message;
  } cases[] = {
      {"", "f: is not JSON"},
      {"{", "f: is not JSON"},
      {"[]", "schema missing is unknown"},
      {R"({"framework":"deepspeed","configs":[]})", "schema null is unknown"},
      {R"({"framework":"deepspeed","schema":2,"configs":[]})", "schema 2 is unknown"},
      {R"({"framework":"alpa","schema":1,"configs":[]})", "framework 'alpa' is unknown; there are deepspeed, "},
      {R"({"framework":7,"schema":1,"configs":[]})", "not of this schema"},
      {R"({"framework":"deepspeed","schema":1})", "configs: a list"},
      {R"({"framework":"deepspeed","schema":1,"configs":[]})", "configs: a list of at least one"},
      {R"({"framework":"deepspeed","schema":1,"configs":[7]})", "configs[0]: has no id"},
      {R"({"framework":"deepspeed","schema":1,"configs":[{"id":"a"}]})", "configs[0] (a): not of this schema"},
      {R"({"framework":"deepspeed","schema":1,"configs":[{"id":"a","ok":true,"kind":"ring","args":{"world":4}}]})",
       "configs[0] (a): not of this schema: kind ring is unknown"},
      {R"({"framework":"torch_mesh","schema":1,"configs":[{"id":"a","ok":true,"kind":"init_device_mesh","args":{"shape":"x"}}]})",
       "configs[0] (a): not of this schema"},
      {R"({"framework":"nemo_rl","schema":1,"configs":[{"id":"a","ok":true,"kind":"sharding","args":{}}]})",
       "configs[0] (a): not of this schema"},
  };
  for (const auto& test : cases) {
    const auto result = CheckText("f", test.text);
    EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument) << test.text;
    EXPECT_THAT(std::string(result.status().message()), HasSubstr(test.message)) << test.text;
  }
}

TEST(CheckText, SameIdTwice_IsRefused) {
  Json file = Golden("torch_mesh");
  file["configs"].push_back(file["configs"][0]);
  EXPECT_THAT(std::string(CheckText("f", file.dump()).status().message()), HasSubstr("id m1_8 is there twice"));
}

TEST(CheckFile, NoSuchFile_IsNotFound) {
  EXPECT_EQ(CheckFile("/no/such/file.json").status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(CheckFile("/").ok());
}

}  // namespace
}  // namespace muster::conformance
