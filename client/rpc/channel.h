#pragma once
// The one way in which Muster's programs reach the coordinator.

#include <grpcpp/channel.h>

#include <memory>
#include <string>

#include "absl/status/status.h"

namespace muster {

inline constexpr char kDefaultServer[] = "127.0.0.1:7070";

// `flag` if given, else MUSTER_SERVER, else kDefaultServer.
std::string ServerAddress(const std::string& flag);

// Never blocks: the first call connects. Keepalive notices a dead peer within about 40 s under a held call.
std::shared_ptr<grpc::Channel> Connect(const std::string& server);

// UNAVAILABLE of a server that was never reached, as people should read it: what was tried and what to do.
absl::Status CantReach(const std::string& server, const absl::Status& status);

}  // namespace muster
