#include "lib/selftest/traffic.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/selftest/fake_setting.h"

namespace muster::selftest {
namespace {

std::vector<std::string> Lines(const mesh::MegatronSpec& spec, int64_t world) {
  const Setting setting = FakeSetting(spec, world, 1);
  std::vector<std::string> lines;
  for (const FamilyTraffic& t : TrafficOf(*setting.mesh)) {
    std::vector<std::string> names;
    for (v1::Collective c : t.collectives) names.push_back(v1::Collective_Name(c));
    lines.push_back(absl::StrCat(std::string(t.family->name()), ": ", absl::StrJoin(names, " ")));
  }
  return lines;
}

using Expected = std::vector<std::string>;

TEST(Traffic, Dense_RunsWhatEachAxisRuns) {
  mesh::MegatronSpec spec;
  spec.tp = 4;
  spec.cp = 2;
  spec.pp = 2;
  EXPECT_EQ(Lines(spec, 64), (Expected{"tp: ALL_REDUCE ALL_GATHER REDUCE_SCATTER", "cp: ALL_GATHER RING_SEND_RECV",
                                       "dp_cp: REDUCE_SCATTER ALL_GATHER", "pp: SEND_RECV"}));
}

TEST(Traffic, WithoutContextParallelism_GradientsTravelOnce) {
  mesh::MegatronSpec spec;
  spec.tp = 2;
  spec.pp = 2;
  EXPECT_EQ(Lines(spec, 8).size(), 3u);
}

TEST(Traffic, Experts_HaveAllToAllAndTheirOwnGradients) {
  mesh::MegatronSpec spec;
  spec.tp = 4;
  spec.cp = 2;
  spec.pp = 4;
  spec.ep = 64;
  spec.etp = 1;
  const Expected lines = Lines(spec, 256);
  EXPECT_NE(std::find(lines.begin(), lines.end(), "ep: ALL_TO_ALL"), lines.end());
  for (const std::string& line : lines) EXPECT_NE(line.substr(0, 5), "ep_dp") << "edp = 1 carries nothing";
  spec.ep = 8;
  const Expected more = Lines(spec, 256);
  EXPECT_NE(std::find(more.begin(), more.end(), "ep_dp: REDUCE_SCATTER ALL_GATHER"), more.end());
}

TEST(Traffic, AllDegreesOne_HasNoTraffic) { EXPECT_TRUE(Lines({}, 1).empty()); }

}  // namespace
}  // namespace muster::selftest
