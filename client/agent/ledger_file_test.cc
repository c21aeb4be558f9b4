#include "client/agent/ledger_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "absl/strings/str_cat.h"

namespace muster::agent {
namespace {

std::string Folder(const char* name) { return absl::StrCat(testing::TempDir(), "/", name, getpid(), "/a/b"); }

TEST(LedgerFile, WhatIsSaved_IsFoundAfterReopening) {
  const std::string folder = Folder("saved");
  {
    auto file = LedgerFile::Open(folder);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(file->found().session_ordinal(), 0);
    Ledger ledger;
    ledger.set_session_ordinal(7);
    ledger.add_jobs()->mutable_mark()->set_number(3);
    ASSERT_TRUE(file->Save(ledger).ok());
  }
  const auto file = LedgerFile::Open(folder);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->found().session_ordinal(), 7);
  EXPECT_EQ(file->found().jobs(0).mark().number(), 3u);
}

TEST(LedgerFile, SecondAgentOnTheFolder_IsRefused) {
  const std::string folder = Folder("locked");
  const auto first = LedgerFile::Open(folder);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(LedgerFile::Open(folder).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(LedgerFile, UnreadableLedger_IsRefusedAndLeftAlone) {
  const std::string folder = Folder("torn");
  ASSERT_TRUE(LedgerFile::Open(folder).ok());
  std::ofstream(folder + "/ledger") << "\xff\xff\xff not a ledger";
  EXPECT_EQ(LedgerFile::Open(folder).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(LedgerFile, FolderThatCannotBe_IsAnError) {
  EXPECT_FALSE(LedgerFile::Open("/proc/no/such").ok());
  std::ofstream(absl::StrCat(testing::TempDir(), "/plain")) << "x";
  EXPECT_FALSE(LedgerFile::Open(absl::StrCat(testing::TempDir(), "/plain/data")).ok());
}

}  // namespace
}  // namespace muster::agent
