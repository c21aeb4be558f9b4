#include "lib/job/job_file.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/util/message_differencer.h"
#include "gtest/gtest.h"
#include "lib/base/errors.h"

namespace muster {
namespace {

using ::testing::HasSubstr;

const char kGood[] = R"(# a job
name: llama
namespace: team-a
spec:
  members: 8
  workersPerMember: 8
  mesh:
    order: tp-cp-ep-dp-pp
    axes: {tp: 4, cp: 2, dp: 4, pp: 2}
    megatron: {gloo: false, gtp_place: after-cp}
  placement:
    rankBy: topology
    required: block
    slices: [{size: 4, tier: rack}]
    nodeSelector: {pool: "8", zone: 1}
    traffic: [{family: pp, pattern: chain, weight: 70}]
  selfTest: {profile: quick, backend: gloo, maxAge: 10m, floorGbps: {tp: 400.5}}
  launch: {kind: agent, command: [python, train.py, "--lr", "1e-3"], env: {A: "x=y", B: ""}, working_dir: /tmp}
  priority: -3
  limits: {maxTries: 0, assembleDeadline: 1h30m}
  annotations: {owner: "me: too"}
)";

TEST(JobFile, WholeFile_ReadsIntoTheContract) {
  const auto job = ReadJobFile(kGood, "job.yaml");
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->name, "llama");
  EXPECT_EQ(job->ns, "team-a");
  const v1::JobSpec& spec = job->spec;
  EXPECT_EQ(spec.members(), 8);
  ASSERT_EQ(spec.mesh().axes_size(), 4);
  EXPECT_EQ(spec.mesh().axes(2).name(), "dp");  // the document's order
  EXPECT_EQ(spec.mesh().megatron().gtp_place(), v1::MegatronOptions::AFTER_CP);
  EXPECT_TRUE(spec.mesh().megatron().has_gloo());
  EXPECT_EQ(spec.placement().rank_by(), v1::PlacementSpec::TOPOLOGY);
  EXPECT_EQ(spec.placement().node_selector().at("zone"), "1");
  EXPECT_EQ(spec.self_test().max_age().seconds(), 600);
  EXPECT_EQ(spec.launch().command(3), "1e-3");
  EXPECT_TRUE(spec.limits().has_max_tries());
  EXPECT_EQ(spec.limits().assemble_deadline().seconds(), 5400);
  EXPECT_EQ(job->lines.at("spec.mesh.axes.tp"), 9);
}

TEST(JobFile, ToYaml_ReadsBackEqual) {
  const auto job = ReadJobFile(kGood, "job.yaml");
  ASSERT_TRUE(job.ok()) << job.status();
  const std::string yaml = ToYaml(job->ns, job->name, job->spec);
  const auto again = ReadJobFile(yaml, "again.yaml");
  ASSERT_TRUE(again.ok()) << again.status() << "\n" << yaml;
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(job->spec, again->spec)) << yaml;
}

TEST(JobFile, Json_IsReadToo) {
  const auto job = ReadJobFile(
      "{\"name\": \"a\", \"spec\": {\"members\": 1, \"launch\": {\"kind\": \"agent\",\n \"command\": "
      "[\"a\\/b\\u00e9\\n\"]}}}",
      "j.json");
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->spec.launch().command(0), "a/b\xc3\xa9\n");
}

TEST(JobFile, MeshThatDoesNotFit_SaysWorldsThatDo) {
  const auto job = ReadJobFile(
      "name: odd\nspec:\n  members: 12\n  workersPerMember: 8\n  mesh: {axes: {tp: 8, cp: 2, pp: 4}}\n", "job.yaml");
  ASSERT_FALSE(job.ok());
  const std::string message(job.status().message());
  EXPECT_THAT(message, HasSubstr("job.yaml:5: spec.mesh: "));
  EXPECT_THAT(message, HasSubstr("does not divide"));
  EXPECT_THAT(message, HasSubstr("64"));
  EXPECT_THAT(message, HasSubstr("128"));
}

struct BadFile {
  std::string text;
  std::string says;
};

std::string Spec(const std::string& rest) { return "name: a\nspec:\n  members: 4\n  " + rest + "\n"; }
std::string Mesh(const std::string& rest) { return Spec("workersPerMember: 8\n  mesh: {" + rest + "}"); }

std::vector<BadFile> BadFiles() {
  std::string deep = "name: a\nspec: ";
  for (int i = 0; i < 60; ++i) deep += "[";
  deep += std::string(60, ']');
  std::string many = "name: a\nspec: {annotations: {";
  for (int i = 0; i < 65; ++i) many += "k" + std::to_string(i) + ": v, ";
  return {
      // The document.
      {"", "f:1: the file holds nothing; a job file is a map"},
      {"- a\n- b\n", "the file holds a list"},
      {"name: [\n", "f:2: "},
      {"name: a\n\tspec: {}\n", "f:2: "},
      {std::string("name: a\nspec: \0", 15), "f:2: there is a NUL byte"},
      {std::string(2 << 20, ' '), "the file has 2097152 bytes; at most 1048576"},
      {"name: a\n---\nname: b\n", "a second document begins"},
      {"name: &x a\nspec: *x\n", "f:1: anchors are not allowed"},
      {"name: a\nspec: *x\n", "f:2: "},
      {"name: !!binary aGk=\n", "f:1: tag "},
      {"? [a]\n: b\n", "a key must be plain text"},
      {deep, "more than 32 levels"},
      // Names and structure.
      {"nam: a\n", "f:1: nam: unknown field; did you mean \"name\"?"},
      {"name: a\nname: b\n", "f:2: name: the field is there twice; keep one"},
      {"name: {a: b}\n", "f:1: name: a map where a name belongs"},
      {"kind: Pod\nname: a\n", "f:1: kind: \"Pod\" is not \"Job\""},
      {"spec: {members: 1}\n", "name: it is empty; use 1 to 63 of a-z"},
      {"name: A_b\nspec: {members: 1}\n", "f:1: name: \"A_b\" is no DNS label"},
      {"name: a-\nspec: {members: 1}\n", "f:1: name: \"a-\" is no DNS label"},
      {"name: " + std::string(64, 'a') + "\nspec: {members: 1}\n", "is no DNS label"},
      {"name: a\nnamespace: ../b\nspec: {members: 1}\n", "f:2: namespace: \"../b\" is no DNS label"},
      {"name: a\nspec: 7\n", "f:2: spec: \"7\" where a map of fields belongs"},
      {"name: a\n", "spec.members: 0 is out of range; give 1 to 1000000"},
      // Types.
      {"name: a\nspec:\n  memebrs: 4\n", "f:3: spec.memebrs: unknown field; did you mean \"members\"?"},
      {"name: a\nspec: {members: four}\n", "f:2: spec.members: \"four\" is not a whole number"},
      {"name: a\nspec: {members: \"4\"}\n", "spec.members: \"4\" is not a whole number; give one, without quotes"},
      {"name: a\nspec: {members: 4.5}\n", "spec.members: \"4.5\" is not a whole number"},
      {"name: a\nspec: {members: 010}\n", "spec.members: \"010\" begins with 0, which some read as octal"},
      {"name: a\nspec: {members: 99999999999}\n", "spec.members: 99999999999 is out of range"},
      {"name: a\nspec: {members: 99999999999999999999}\n", "is not a whole number"},
      {"name: a\nspec: {members: -1}\n", "f:2: spec.members: -1 is out of range; give 1 to 1000000"},
      {"name: a\nspec: {members: 1000001}\n", "spec.members: 1000001 is out of range"},
      {"name: a\nspec: {members: [1]}\n", "spec.members: a list where a single value belongs"},
      {"name: a\nspec: {members: 1, members: 2}\n", "f:2: spec.members: the field is there twice"},
      {"name: a\nspec: {workersPerMember: 1, workers_per_member: 2, members: 1}\n", "the field is there twice"},
      {Spec("workersPerMember: 1025"), "f:4: spec.workersPerMember: 1025 is out of range; give 0 to 1024"},
      {Spec("priority: 2000000"), "f:4: spec.priority: 2000000 is out of range"},
      {many + "}, members: 1}\n", "spec.annotations: there are 65 entries; at most 64"},
      // Mesh.
      {Mesh("axes: {dpp: 4}"),
       "f:5: spec.mesh.axes.dpp: unknown axis; did you mean \"dp\"? (megatron knows tp, cp, dp, pp, "
       "ep, etp, gtp, egtp)"},
      {Mesh("axes: {tp: 0}"), "f:5: spec.mesh.axes.tp: 0 is below 1; give 1 or more"},
      {Mesh("axes: {tp: -2}"), "spec.mesh.axes.tp: -2 is below 1"},
      {Mesh("axes: {tp: 08}"), "spec.mesh.axes.tp: \"08\" is not a whole number"},
      {Mesh("axes: {tp: two}"), "spec.mesh.axes.tp: \"two\" is not a whole number"},
      {Mesh("axes: {tp: 2, tp: 4}"), "spec.mesh.axes.tp: the axis is there twice"},
      {Mesh("axes: [{name: tp, size: 2}, {name: tp, size: 2}]"), "spec.mesh.axes.tp: the axis is there twice"},
      {Mesh("axes: {tp: 3}"), "f:5: spec.mesh: "},
      {Mesh("axes: {tp: 9223372036854775807, pp: 9223372036854775807}"), "spec.mesh: "},
      {Mesh("axes: {tp: 4, dp: 3}"), "f:5: spec.mesh.axes.dp: 3 does not fit: the other axes leave dp 8 of 32 workers"},
      {Mesh("dialect: megatorn"), "f:5: spec.mesh.dialect: \"megatorn\" is unknown; did you mean \"megatron\"?"},
      {Mesh("dialect: torch, axes: {dp: 32}, order: tp-dp"), "spec.mesh.order: \"tp-dp\" with dialect torch"},
      {Mesh("dialect: torch, axes: {dp: 32}, megatron: {gloo: true}"),
       "spec.mesh.megatron: options of megatron with dialect"},
      {Mesh("axes: {tp: 4}, permutation: [0, 1]"), "spec.mesh.permutation: a permutation with dialect megatron"},
      {Mesh("axes: {tp: 4}, megatron: {rankOffset: 8}"), "f:5: spec.mesh.megatron.rankOffset: 8 is not 0"},
      {Mesh("axes: {tp: 4}, order: tp-xx"), "f:5: spec.mesh: "},
      {Mesh("compat: sloppy"), "f:5: spec.mesh.compat: \"sloppy\" is unknown; use one of careful, upstream"},
      // Placement.
      {Spec("placement: {source: kueu}"), "f:4: spec.placement.source: \"kueu\" is unknown; did you mean \"kueue\"?"},
      {Spec("placement: {slices: [{size: 3, tier: rack}]}"),
       "f:4: spec.placement.slices[0].size: 3 does not divide 4 members"},
      {Spec("placement: {slices: [{size: 0, tier: rack}]}"),
       "spec.placement.slices[0].size: 0 is out of range; give 1 to 4"},
      {Spec("placement: {slices: [{size: 2}]}"), "spec.placement.slices[0].tier: it is empty"},
      {Spec("placement: {slices: [{size: 2, tier: r}, {size: 4, tier: r}]}"),
       "slices[1].tier: \"r\" has a slice already"},
      {Spec("placement: {membersPerNode: 3, slices: [{size: 2, tier: r}]}"),
       "2 members do not line up with 3 members a node"},
      {Spec("placement: {slices: {size: 2}}"), "spec.placement.slices: a map where a list belongs"},
      {Spec("placement: {spares: 5}"), "spec.placement.spares: 5 is out of range; give 0 to 4"},
      {Spec("placement: {membersPerNode: 65}"), "spec.placement.membersPerNode: 65 is out of range"},
      {Spec("placement: {nodes: [a, a]}"), "spec.placement.nodes[1]: \"a\" is there twice"},
      {Spec("placement: {nodes: [\"\"]}"), "spec.placement.nodes[0]: it is empty"},
      {Spec("placement: {traffic: [{family: tp}]}"), "traffic[0].family: family \"tp\" of a job without a mesh"},
      {Mesh("axes: {tp: 4}}, placement: {traffic: [{family: tpp, weight: 1}]"), "f:5: "},
      {Spec("placement: {nodeSelector: [a]}"), "spec.placement.nodeSelector: a list where a map belongs"},
      {Spec("placement: {nodeSelector: {a: b, a: c}}"), "spec.placement.nodeSelector.a: the key is there twice"},
      // Self-test.
      {Spec("selfTest: {profile: quik}"), "f:4: spec.selfTest.profile: \"quik\" is unknown; did you mean \"quick\"?"},
      {Spec("selfTest: {backend: mpi}"), "spec.selfTest.backend: \"mpi\" is unknown; use one of gloo, nccl, simulated"},
      {Spec("selfTest: {maxAge: 10}"), "spec.selfTest.maxAge: \"10\" is no duration; write a number with its unit"},
      {Spec("selfTest: {maxAge: -5m}"), "spec.selfTest.maxAge: -300 s is negative; give 0 or more"},
      {Spec("selfTest: {deadline: 9999999999h}"), "spec.selfTest.deadline: the duration is beyond ten years"},
      {Spec("selfTest: {minSiblingRatio: 1.5}"), "spec.selfTest.minSiblingRatio: 1.5 is not between 0 and 1"},
      {Spec("selfTest: {minSiblingRatio: .nan}"), "spec.selfTest.minSiblingRatio: "},
      {Spec("selfTest: {floorGbps: {tp: 3}}"), "spec.selfTest.floorGbps.tp: family \"tp\" of a job without a mesh"},
      // Launch and limits.
      {Spec("launch: {kind: agent}"), "f:4: spec.launch.command: launch kind agent has no program to start"},
      {Spec("launch: {command: [x]}"), "spec.launch.command: \"x\" would never be started by this launch kind"},
      {Spec("launch: {kind: agent, command: x}"), "spec.launch.command: \"x\" where a list belongs"},
      {Spec("launch: {kind: agent, command: [x], env: {\"A=B\": c}}"), "spec.launch.env.A=B: the name holds a '='"},
      {Spec("launch: {kind: agent, command: [x], workingDir: here}"),
       "spec.launch.workingDir: \"here\" is not absolute"},
      {Spec("launch: {leaderPort: 70000}"), "spec.launch.leaderPort: 70000 is out of range; give 0 to 65535"},
      {Spec("launch: {perMember: yes}"), "spec.launch.perMember: \"yes\" is neither true nor false"},
      {Spec("launch: {kind: agent, command: [x]}\n  placement: {source: bound}"),
       "spec.launch.kind: Muster can't start workers"},
      {Spec("launch: {kind: test_only}\n  selfTest: {profile: none}"),
       "spec.selfTest.profile: none, in a job that is only a test"},
      {Spec("limits: {maxTries: 101}"), "f:4: spec.limits.maxTries: 101 is out of range; give 0 to 100"},
      {Spec("limits: {exitGrace: -1s}"), "spec.limits.exitGrace: -1 s is negative"},
  };
}

TEST(JobFile, BadFiles_NameLineFieldValueAndWayOut) {
  const std::vector<BadFile> rows = BadFiles();
  ASSERT_GE(rows.size(), 70u);
  for (const BadFile& row : rows) {
    const auto job = ReadJobFile(row.text, "f");
    EXPECT_FALSE(job.ok()) << row.text.substr(0, 200);
    if (job.ok()) continue;
    EXPECT_EQ(job.status().code(), absl::StatusCode::kInvalidArgument) << row.says;
    EXPECT_THAT(std::string(job.status().message()), HasSubstr(row.says)) << row.text.substr(0, 200);
    EXPECT_THAT(std::string(job.status().message()), ::testing::StartsWith("f:")) << row.says;
    EXPECT_LT(job.status().message().size(), 600u) << row.says;
    EXPECT_TRUE(DetailOf(job.status()).has_value()) << row.says;
  }
}

}  // namespace
}  // namespace muster
