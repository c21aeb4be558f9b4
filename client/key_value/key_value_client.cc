#include "client/key_value/key_value_client.h"

#include <google/protobuf/util/time_util.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/rpc/backoff.h"
#include "client/rpc/status.h"

namespace muster {
namespace {

// One long poll; longer waits are several.
constexpr absl::Duration kPoll = absl::Seconds(20);
constexpr absl::Duration kSlack = absl::Seconds(10);

uint64_t RandomSeed() {
  return std::random_device{}() * uint64_t{0x100000001} ^ static_cast<uint64_t>(absl::GetCurrentTimeNanos());
}

}  // namespace

KeyValueClient::KeyValueClient(std::shared_ptr<grpc::Channel> channel, v1::Scope scope, absl::Duration timeout)
    : stub_(v1::KeyValueService::NewStub(std::move(channel))), scope_(std::move(scope)), timeout_(timeout) {}

template <typename Request, typename Response>
absl::Status KeyValueClient::Call(grpc::Status (v1::KeyValueService::Stub::*method)(grpc::ClientContext*,
                                                                                    const Request&, Response*),
                                  const Request& request, Response& response, absl::Time deadline) {
  Backoff backoff(RandomSeed(), absl::Milliseconds(50), absl::Seconds(2));
  for (;;) {
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(std::min(deadline, absl::Now() + kPoll + kSlack)));
    const absl::Status status = FromGrpc(((*stub_).*method)(&context, request, &response));
    // CANCELLED: gRPC 1.51's answer to a call that reaches a server in the instant it shuts down; nobody cancels these
    // calls.
    if (status.ok() || absl::IsDeadlineExceeded(status) || (!IsRetryable(status) && !absl::IsCancelled(status)))
      return status;
    const absl::Duration left = deadline - absl::Now();
    if (left <= absl::ZeroDuration())
      return absl::DeadlineExceededError(absl::StrCat("gave up: ", std::string(status.message())));
    absl::SleepFor(std::min(left, backoff.Next()));
  }
}

absl::Status KeyValueClient::Set(const std::vector<std::pair<std::string, std::string>>& pairs) {
  v1::SetRequest request;
  *request.mutable_scope() = scope_;
  for (const auto& [key, value] : pairs) {
    v1::KeyValue* pair = request.add_pairs();
    pair->set_key(key);
    pair->set_value(value);
  }
  v1::SetResponse response;
  return Call(&v1::KeyValueService::Stub::Set, request, response, absl::Now() + timeout_);
}

absl::StatusOr<std::vector<std::optional<std::string>>> KeyValueClient::Get(const std::vector<std::string>& keys) {
  v1::GetRequest request;
  *request.mutable_scope() = scope_;
  for (const std::string& key : keys) request.add_keys(key);
  v1::GetResponse response;
  if (absl::Status s = Call(&v1::KeyValueService::Stub::Get, request, response, absl::Now() + timeout_); !s.ok())
    return s;
  std::vector<std::optional<std::string>> values;
  for (v1::GetResponse::Entry& entry : *response.mutable_entries()) {
    values.push_back(entry.found() ? std::optional<std::string>(std::move(*entry.mutable_value())) : std::nullopt);
  }
  return values;
}

absl::StatusOr<std::vector<std::string>> KeyValueClient::Wait(const std::vector<std::string>& keys,
                                                              absl::Duration timeout) {
  const absl::Time deadline = absl::Now() + timeout;
  v1::WaitRequest request;
  *request.mutable_scope() = scope_;
  for (const std::string& key : keys) request.add_keys(key);
  for (;;) {
    const absl::Duration poll = std::clamp(deadline - absl::Now(), absl::ZeroDuration(), kPoll);
    *request.mutable_timeout() =
        google::protobuf::util::TimeUtil::MillisecondsToDuration(absl::ToInt64Milliseconds(poll));
    v1::GetResponse response;
    const absl::Status status = Call(&v1::KeyValueService::Stub::Wait, request, response, deadline + kSlack);
    if (absl::IsDeadlineExceeded(status) && absl::Now() < deadline) continue;
    if (!status.ok()) return status;
    std::vector<std::string> values;
    for (v1::GetResponse::Entry& entry : *response.mutable_entries())
      values.push_back(std::move(*entry.mutable_value()));
    return values;
  }
}

absl::StatusOr<int64_t> KeyValueClient::Add(const std::string& key, int64_t delta) {
  v1::AddRequest request;
  *request.mutable_scope() = scope_;
  request.set_key(key);
  request.set_delta(delta);
  std::mt19937_64 random(RandomSeed());
  request.set_request_id(absl::StrCat(absl::Hex(random(), absl::kZeroPad16), absl::Hex(random(), absl::kZeroPad16)));
  v1::AddResponse response;
  if (absl::Status s = Call(&v1::KeyValueService::Stub::Add, request, response, absl::Now() + timeout_); !s.ok())
    return s;
  return response.value();
}

}  // namespace muster
