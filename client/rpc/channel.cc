#include "client/rpc/channel.h"

#include <grpcpp/grpcpp.h>

#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"

namespace muster {
namespace {

// Answers that name a million members fit; nothing else comes near.
constexpr int kMaxAnswerBytes = 64 << 20;

}  // namespace

std::string ServerAddress(const std::string& flag) {
  if (!flag.empty()) return flag;
  const char* env = std::getenv("MUSTER_SERVER");
  return env && *env ? env : kDefaultServer;
}

std::shared_ptr<grpc::Channel> Connect(const std::string& server) {
  grpc::ChannelArguments args;
  args.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 30000);
  args.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10000);
  args.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 5000);
  args.SetMaxReceiveMessageSize(kMaxAnswerBytes);
  return grpc::CreateCustomChannel(server, grpc::InsecureChannelCredentials(), args);
}

absl::Status CantReach(const std::string& server, const absl::Status& status) {
  const bool refused = absl::StrContains(status.message(), "refused");
  return OutcomeError(
      absl::StatusCode::kUnavailable, v1::OUTCOME_UNSPECIFIED,
      absl::StrCat("can't reach the coordinator at ", server, " (", refused ? "connection refused" : status.message(),
                   ")"),
      "is musterd running? start it with: musterd --data ~/.muster   other address: --server or MUSTER_SERVER");
}

}  // namespace muster
