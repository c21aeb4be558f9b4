#include "server/core/key_value_scope.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"

namespace muster::core {
namespace {

// After the scope's prefix: a value, or the result of an add.
constexpr absl::string_view kValue = "k/";
constexpr absl::string_view kAdd = "a/";

}  // namespace

absl::optional<std::string> KeyValueChange::Get(const std::string& key) const {
  if (const auto changed = values_.find(key); changed != values_.end()) return changed->second;
  const auto found = base_->values.find(key);
  if (found == base_->values.end()) return absl::nullopt;
  return found->second;
}

absl::Status KeyValueChange::Room(int64_t more) const {
  if (bytes_ + more > limit_) {
    return OutcomeError(
        absl::StatusCode::kResourceExhausted, v1::OVERLOADED,
        absl::StrCat("the scope holds ", bytes_, " bytes; ", more, " more would pass its limit of ", limit_),
        "delete keys that are no longer needed, or exchange large data directly");
  }
  if (more > 0 && all_->used + more > all_->limit) {
    return OutcomeError(absl::StatusCode::kResourceExhausted, v1::OVERLOADED,
                        absl::StrCat("the key-value data of all jobs has ", all_->used, " bytes; ", more,
                                     " more would pass the limit of ", all_->limit),
                        "delete keys that are no longer needed, or try again when other jobs have ended");
  }
  return absl::OkStatus();
}

void KeyValueChange::Grow(int64_t more) {
  bytes_ += more;
  all_->used += more;
}

void KeyValueChange::Drop() { Grow(base_bytes_ - bytes_); }

absl::Status KeyValueChange::Put(const std::string& key, const std::string& value) {
  const absl::optional<std::string> before = Get(key);
  const int64_t more = static_cast<int64_t>(value.size()) -
                       (before ? static_cast<int64_t>(before->size()) : -static_cast<int64_t>(key.size()));
  if (absl::Status room = Room(more); !room.ok()) return room;
  Grow(more);
  values_[key] = value;
  return absl::OkStatus();
}

void KeyValueChange::Erase(const std::string& key) {
  const absl::optional<std::string> before = Get(key);
  if (!before) return;
  Grow(-static_cast<int64_t>(key.size() + before->size()));
  values_[key] = absl::nullopt;
}

absl::optional<int64_t> KeyValueChange::Added(const std::string& request_id) const {
  if (const auto changed = adds_.find(request_id); changed != adds_.end()) return changed->second;
  const auto found = base_->adds.find(request_id);
  if (found == base_->adds.end()) return absl::nullopt;
  return found->second;
}

absl::Status KeyValueChange::RememberAdd(const std::string& request_id, int64_t value) {
  const int64_t more = static_cast<int64_t>(request_id.size()) + 8;
  if (absl::Status room = Room(more); !room.ok()) return room;
  Grow(more);
  adds_[request_id] = value;
  return absl::OkStatus();
}

void KeyValueChange::ApplyTo(KeyValueScope& scope) const {
  for (const auto& [key, value] : values_) {
    if (value) {
      scope.values[key] = *value;
    } else {
      scope.values.erase(key);
    }
  }
  for (const auto& [request_id, value] : adds_) scope.adds[request_id] = value;
  scope.bytes = bytes_;
}

void KeyValueChange::WriteTo(const std::string& prefix, store::Batch& batch) const {
  for (const auto& [key, value] : values_) {
    std::string record = absl::StrCat(prefix, kValue, key);
    if (value) {
      batch.Put(store::Kind::kKeyValue, std::move(record), *value);
    } else {
      batch.Delete(store::Kind::kKeyValue, std::move(record));
    }
  }
  for (const auto& [request_id, value] : adds_)
    batch.Put(store::Kind::kKeyValue, absl::StrCat(prefix, kAdd, request_id), absl::StrCat(value));
}

void ReadRecord(absl::string_view rest, const std::string& value, KeyValueScope& scope) {
  const std::string key(rest.substr(std::min<size_t>(rest.size(), kValue.size())));
  if (absl::StartsWith(rest, kValue)) {
    scope.values[key] = value;
    scope.bytes += static_cast<int64_t>(key.size() + value.size());
  } else if (int64_t number = 0; absl::StartsWith(rest, kAdd) && absl::SimpleAtoi(value, &number)) {
    scope.adds[key] = number;
    scope.bytes += static_cast<int64_t>(key.size()) + 8;
  }
}

}  // namespace muster::core
