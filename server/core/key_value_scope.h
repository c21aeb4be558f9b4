#pragma once
// One scope's keys and values, and a change of it that is not yet true. Not thread-safe.

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "server/store/store.h"

namespace muster::core {

struct KeyValueScope {
  std::map<std::string, std::string> values;
  // Results of adds by their request ids.
  std::map<std::string, int64_t> adds;
  // Of keys, values and request ids.
  int64_t bytes = 0;
};

// What all scopes of a kind hold together, changes that aren't true yet included.
struct KeyValueBudget {
  int64_t limit = INT64_MAX;
  int64_t used = 0;
};

// What a run of calls will do to a scope. Reads see through it.
class KeyValueChange {
 public:
  // `base` outlives all use but Drop; `all` outlives this.
  KeyValueChange(const KeyValueScope& base, int64_t limit, KeyValueBudget& all)
      : base_(&base), all_(&all), base_bytes_(base.bytes), bytes_(base.bytes), limit_(limit) {}

  absl::optional<std::string> Get(const std::string& key) const;
  // RESOURCE_EXHAUSTED: past the scope's bytes, or those of all; nothing is changed.
  absl::Status Put(const std::string& key, const std::string& value);
  void Erase(const std::string& key);
  // Room for `more` bytes.
  absl::Status Room(int64_t more) const;

  absl::optional<int64_t> Added(const std::string& request_id) const;
  absl::Status RememberAdd(const std::string& request_id, int64_t value);

  bool empty() const { return values_.empty() && adds_.empty(); }
  const std::map<std::string, absl::optional<std::string>>& values() const { return values_; }

  void ApplyTo(KeyValueScope& scope) const;
  // It will never be true: what it took of all scopes' bytes is given back.
  void Drop();
  // As records whose keys begin with `prefix`.
  void WriteTo(const std::string& prefix, store::Batch& batch) const;

 private:
  void Grow(int64_t more);

  const KeyValueScope* base_;
  KeyValueBudget* all_;
  std::map<std::string, absl::optional<std::string>> values_;
  std::map<std::string, int64_t> adds_;
  int64_t base_bytes_;
  int64_t bytes_;
  int64_t limit_;
};

// One record of WriteTo, its prefix taken off, back into the scope.
void ReadRecord(absl::string_view rest, const std::string& value, KeyValueScope& scope);

}  // namespace muster::core
