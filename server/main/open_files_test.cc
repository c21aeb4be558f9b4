#include "server/main/open_files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace muster::musterd {
namespace {

TEST(OpenFilesTest, LowSoftLimit_IsRaisedToTheHardOne) {
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  limit.rlim_cur = 64;
  limit.rlim_max = 128;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_EQ(RaiseOpenFiles(), 128);
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_EQ(limit.rlim_cur, 128u);
}

}  // namespace
}  // namespace muster::musterd
