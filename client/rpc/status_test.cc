#include "client/rpc/status.h"

#include <gtest/gtest.h>

#include "lib/base/errors.h"

namespace muster {
namespace {

TEST(FromGrpc, DetailInGoogleRpcStatus_BecomesThePayload) {
  v1::OutcomeDetail detail;
  detail.set_outcome(v1::SUPERSEDED);
  v1::StatusDetails details;
  details.add_details()->PackFrom(detail);
  const absl::Status status =
      FromGrpc(grpc::Status(grpc::StatusCode::FAILED_PRECONDITION, "newer", details.SerializeAsString()));
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  ASSERT_TRUE(DetailOf(status));
  EXPECT_EQ(DetailOf(status)->outcome(), v1::SUPERSEDED);
}

TEST(FromGrpc, UnreadableDetails_AreIgnored) {
  EXPECT_FALSE(DetailOf(FromGrpc(grpc::Status(grpc::StatusCode::INTERNAL, "x", "\xff\xff garbage"))));
}

TEST(IsRetryable, OnlyWhatCanPass) {
  EXPECT_TRUE(IsRetryable(absl::UnavailableError("")));
  EXPECT_TRUE(IsRetryable(absl::DeadlineExceededError("")));
  EXPECT_TRUE(IsRetryable(absl::ResourceExhaustedError("")));
  EXPECT_FALSE(IsRetryable(absl::FailedPreconditionError("")));
  EXPECT_FALSE(IsRetryable(absl::OkStatus()));
}

}  // namespace
}  // namespace muster
