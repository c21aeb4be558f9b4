#include "client/worker/incarnation_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"

namespace muster::worker {
namespace {

class IncarnationFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = absl::StrCat(testing::TempDir(), "/", testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
  }
  v1::Incarnation Next(IncarnationSource source, absl::Time now) {
    source.folder = folder_;
    source.member = "team-a/llama/3";
    auto next = NextIncarnation(source, now);
    EXPECT_TRUE(next.ok()) << next.status();
    return next.value_or(v1::Incarnation());
  }
  std::string folder_;
};

TEST_F(IncarnationFile, OnAHost_GrowsAlsoWhenTheClockIsSetBack) {
  const v1::Incarnation first = Next({}, absl::FromUnixSeconds(1000));
  EXPECT_EQ(first.ordinal(), 1000 * 1000000);
  EXPECT_FALSE(first.has_created());
  EXPECT_EQ(first.uid(), "");
  EXPECT_EQ(Next({}, absl::FromUnixSeconds(500)).ordinal(), first.ordinal() + 1);
  EXPECT_EQ(Next({}, absl::FromUnixSeconds(2000)).ordinal(), 2000 * 1000000);
}

TEST_F(IncarnationFile, InAPod_CountsRestartsOfTheContainer) {
  const IncarnationSource pod = {.restart_attempt = 2, .pod_uid = "uid-1", .folder = {}, .member = {}};
  EXPECT_EQ(Next(pod, absl::FromUnixSeconds(1000)).ordinal(), 1);
  const v1::Incarnation second = Next(pod, absl::FromUnixSeconds(1000));
  EXPECT_EQ(second.ordinal(), 2);
  EXPECT_EQ(second.uid(), "uid-1");
  EXPECT_EQ(second.restart_attempt(), 2);
}

TEST_F(IncarnationFile, SpoiledFile_StartsAnewWithoutFailing) {
  Next({}, absl::FromUnixSeconds(1000));
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) std::ofstream(entry.path()) << "garbage";
  EXPECT_EQ(Next({}, absl::FromUnixSeconds(1001)).ordinal(), 1001 * 1000000);
}

TEST_F(IncarnationFile, FolderThatCannotBeMade_SaysWhatToDo) {
  std::ofstream(folder_) << "a file";
  const absl::Status status =
      NextIncarnation({.pod_uid = {}, .folder = folder_ + "/x", .member = "m"}, absl::UnixEpoch()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_NE(std::string(status.message()).find("--state-dir"), std::string::npos);
  std::filesystem::remove(folder_);
}

}  // namespace
}  // namespace muster::worker
