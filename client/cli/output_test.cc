#include "client/cli/output.h"

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <nlohmann/json.hpp>

#include "client/cli/exit_code.h"
#include "proto/muster/v1/node.pb.h"
#include "proto/muster/v1/placement.pb.h"

namespace muster::cli {
namespace {

v1::Node HostileNode() {
  v1::Node node;
  node.mutable_info()->set_name("true");
  node.mutable_info()->set_uid("0123");
  (*node.mutable_info()->mutable_labels())["a: b"] = "#x\n\x1b[31m";
  (*node.mutable_info()->mutable_capacity())["gpu"] = 8;
  node.add_topology_path("b1/r1");
  node.add_topology_path("");
  node.set_reason(
      "\xc2\x9b"
      "31m");
  node.mutable_until()->set_seconds(1'000'000);
  return node;
}

TEST(ToJson, HasEveryPlainField_UnderItsStableName) {
  const auto json = nlohmann::json::parse(ToJson(HostileNode()));
  EXPECT_EQ(json["info"]["name"], "true");
  EXPECT_EQ(json["info"]["capacity"]["gpu"], "8");
  EXPECT_EQ(json["use"], "NODE_USE_UNSPECIFIED");
  EXPECT_EQ(json["jobUid"], "");
  EXPECT_EQ(json["topologyPath"], nlohmann::json::array({"b1/r1", ""}));
  EXPECT_EQ(json["until"], "1970-01-12T13:46:40Z");
}

TEST(ToJson, NothingActsOnATerminal_AndTheDataIsKept) {
  const std::string text = ToJson(HostileNode());
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(text)["reason"],
            "\xc2\x9b"
            "31m");
}

TEST(ToYamlText, ReadsBackAsTheSameData) {
  const std::string text = ToYamlText(HostileNode());
  const YAML::Node yaml = YAML::Load(text);
  EXPECT_EQ(yaml["info"]["name"].Scalar(), "true");
  EXPECT_EQ(yaml["info"]["name"].Tag(), "!") << "a quoted string, no boolean: " << text;
  EXPECT_EQ(yaml["info"]["uid"].Tag(), "!");
  EXPECT_EQ(yaml["info"]["labels"]["a: b"].Scalar(), "#x\n\x1b[31m");
  EXPECT_EQ(yaml["topologyPath"][0].Scalar(), "b1/r1");
  EXPECT_EQ(yaml["topologyPath"][1].Scalar(), "");
  EXPECT_TRUE(yaml["info"]["accelerators"].IsSequence());
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(ToYamlText, NestedLists_AreIndented) {
  v1::Explanation explanation;
  auto* family = explanation.mutable_placement()->add_crossings();
  family->set_family("tp");
  family->add_tiers()->set_tier("rack");
  family->add_tiers()->set_tier("block");
  const YAML::Node yaml = YAML::Load(ToYamlText(explanation));
  EXPECT_EQ(yaml["placement"]["crossings"][0]["family"].Scalar(), "tp");
  EXPECT_EQ(yaml["placement"]["crossings"][0]["tiers"][1]["tier"].Scalar(), "block");
}

TEST(ParseFormat, UnknownName_SuggestsTheNearest) {
  EXPECT_EQ(*ParseFormat("wide"), Format::kWide);
  const auto format = ParseFormat("jsn");
  EXPECT_TRUE(IsUsageError(format.status()));
  EXPECT_NE(format.status().message().find("did you mean \"json\"?"), absl::string_view::npos);
}

}  // namespace
}  // namespace muster::cli
