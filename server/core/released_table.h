#pragma once
// What is released, for the threads that answer GetRank: no loop, one short lock, an immutable object behind a shared
// pointer. Written by the loop after the commit that released it, and taken away before the commit that ends it.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "lib/base/ids.h"
#include "lib/base/mutex.h"
#include "lib/gang/released.h"
#include "proto/muster/v1/worker_service.pb.h"

namespace muster::core {

class ReleasedTable {
 public:
  // `workers` a member has.
  void Publish(const std::string& uid, const std::string& ns, const std::string& name, int32_t workers,
               gang::ReleasedPtr released);
  void Remove(const std::string& uid);

  // The bytes that this very caller was given before: same incarnation, on its node, no assertion that fails. Anything
  // else, including every refusal, is the loop's to answer: nullopt. The pointer keeps what it points into alive.
  struct Hit {
    gang::ReleasedPtr released;
    const std::string* assignment = nullptr;
  };
  std::optional<Hit> Find(const v1::GetRankRequest& request) const;

 private:
  struct Entry {
    std::string ns, name;
    int32_t workers = 1;
    gang::ReleasedPtr released;
  };
  mutable Mutex mu_;
  absl::flat_hash_map<std::string, Entry> by_uid_ ABSL_GUARDED_BY(mu_);
  std::map<std::pair<std::string, std::string>, std::string> uid_of_ ABSL_GUARDED_BY(mu_);
};

}  // namespace muster::core
