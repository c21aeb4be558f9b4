// The limits of KeyValueService, whose keys and values are any bytes.

#include <set>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "server/services/field_checks.h"
#include "server/services/request_checks.h"

namespace muster::services {
namespace {

constexpr size_t kLongestKey = 1024;
constexpr size_t kLongestValue = size_t{1} << 20;
constexpr int kKeys = 4096;
constexpr size_t kBytes = size_t{3} << 20;

absl::Status CheckScope(const v1::Scope& scope) {
  if (scope.job_uid().empty() == scope.test_id().empty())
    return FieldError("scope",
                      scope.job_uid().empty() ? "names neither a job nor a test" : "names both a job and a test",
                      "give job_uid with attempt and epoch, or test_id with round");
  return AllOf(
      CheckText("scope.job_uid", scope.job_uid(), kLongestId), CheckText("scope.test_id", scope.test_id(), kLongestId),
      CheckRange("scope.attempt", scope.attempt(), 0, INT32_MAX),
      CheckRange("scope.epoch", scope.epoch(), 0, INT64_MAX), CheckRange("scope.round", scope.round(), 0, INT32_MAX));
}

absl::Status CheckKey(absl::string_view field, const std::string& key) {
  if (key.empty()) return FieldError(field, "is empty", "give a key of 1 to 1,024 bytes");
  if (key.size() <= kLongestKey) return absl::OkStatus();
  return FieldError(field, absl::StrCat("\"", absl::CHexEscape(key.substr(0, 40)), "\"… has ", key.size(), " bytes"),
                    "give at most 1,024");
}

absl::Status CheckValue(absl::string_view field, const std::string& value) {
  if (value.size() <= kLongestValue) return absl::OkStatus();
  return FieldError(field, absl::StrCat("has ", value.size(), " bytes"),
                    "give at most 1 MiB; exchange larger data directly");
}

absl::Status CheckTotal(size_t bytes) {
  if (bytes <= kBytes) return absl::OkStatus();
  return FieldError("", absl::StrCat("the request's keys and values have ", bytes, " bytes"),
                    "split it: at most 3 MiB a request");
}

template <typename Keys>
absl::Status CheckKeys(const Keys& keys) {
  if (keys.empty()) return FieldError("keys", "is empty", "give 1 to 4,096 keys");
  if (absl::Status count = CheckCount("keys", keys.size(), kKeys); !count.ok()) return count;
  size_t bytes = 0;
  for (int i = 0; i < keys.size(); ++i) {
    if (absl::Status key = CheckKey(absl::StrCat("keys[", i, "]"), keys[i]); !key.ok()) return key;
    bytes += keys[i].size();
  }
  return CheckTotal(bytes);
}

}  // namespace

absl::Status Check(const v1::SetRequest& request) {
  if (absl::Status status = AllOf(CheckScope(request.scope()), CheckCount("pairs", request.pairs_size(), kKeys));
      !status.ok())
    return status;
  if (request.pairs().empty()) return FieldError("pairs", "is empty", "give 1 to 4,096 pairs");
  std::set<std::string> seen;
  size_t bytes = 0;
  for (int i = 0; i < request.pairs_size(); ++i) {
    const v1::KeyValue& pair = request.pairs(i);
    const std::string field = absl::StrCat("pairs[", i, "]");
    if (absl::Status status = AllOf(CheckKey(absl::StrCat(field, ".key"), pair.key()),
                                    CheckValue(absl::StrCat(field, ".value"), pair.value()));
        !status.ok())
      return status;
    if (!seen.insert(pair.key()).second)
      return FieldError(absl::StrCat(field, ".key"),
                        absl::StrCat("\"", absl::CHexEscape(pair.key().substr(0, 40)), "\" is given twice"),
                        "set each key once a request");
    bytes += pair.key().size() + pair.value().size();
  }
  return CheckTotal(bytes);
}

absl::Status Check(const v1::GetRequest& request) {
  return AllOf(CheckScope(request.scope()), CheckKeys(request.keys()));
}
absl::Status Check(const v1::DeleteRequest& request) {
  return AllOf(CheckScope(request.scope()), CheckKeys(request.keys()));
}

absl::Status Check(const v1::WaitRequest& request) {
  return AllOf(CheckScope(request.scope()), CheckKeys(request.keys()), CheckDuration("timeout", request.timeout()));
}

absl::Status Check(const v1::AddRequest& request) {
  if (request.request_id().size() > 64)
    return FieldError("request_id", absl::StrCat("has ", request.request_id().size(), " bytes"), "give at most 64");
  return AllOf(CheckScope(request.scope()), CheckKey("key", request.key()));
}

absl::Status Check(const v1::CompareAndSetRequest& request) {
  return AllOf(CheckScope(request.scope()), CheckKey("key", request.key()), CheckValue("expected", request.expected()),
               CheckValue("desired", request.desired()));
}

}  // namespace muster::services
