#pragma once
// The coordinator's key-value calls in one scope: group ids and start-up exchange between the workers of a test or an
// epoch.

#include <grpcpp/channel.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "proto/muster/v1/key_value_service.grpc.pb.h"

namespace muster {

// Thread-safe. Every call retries UNAVAILABLE and RESOURCE_EXHAUSTED until its timeout, then fails with
// DEADLINE_EXCEEDED; other errors are the server's (key_value_service.proto): FAILED_PRECONDITION or NOT_FOUND when the
// scope is over.
class KeyValueClient {
 public:
  KeyValueClient(std::shared_ptr<grpc::Channel> channel, v1::Scope scope, absl::Duration timeout = absl::Seconds(30));

  // All or nothing.
  absl::Status Set(const std::vector<std::pair<std::string, std::string>>& pairs);
  // Values in the order of the keys; nullopt: absent.
  absl::StatusOr<std::vector<std::optional<std::string>>> Get(const std::vector<std::string>& keys);
  // Values once all keys exist. DEADLINE_EXCEEDED names at most three missing keys.
  absl::StatusOr<std::vector<std::string>> Wait(const std::vector<std::string>& keys, absl::Duration timeout);
  // Counts once, however often the answer is lost.
  absl::StatusOr<int64_t> Add(const std::string& key, int64_t delta);

 private:
  template <typename Request, typename Response>
  absl::Status Call(grpc::Status (v1::KeyValueService::Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                    const Request& request, Response& response, absl::Time deadline);

  const std::unique_ptr<v1::KeyValueService::Stub> stub_;
  const v1::Scope scope_;
  const absl::Duration timeout_;
};

}  // namespace muster
