#pragma once
// Receipts: their bodies lie in the store, what decisions look for is here. Loop only, but for ReadReceipt and
// ListReceipts.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/base/ids.h"
#include "proto/muster/v1/receipt.pb.h"
#include "server/store/store.h"

namespace muster::core {

// NOT_FOUND; DATA_LOSS: damaged. Any thread.
absl::StatusOr<v1::Receipt> ReadReceipt(store::Store& store, const std::string& id);

// Newest first, as many as an answer takes (page.h), without plans and groups, a long one also without nodes, placement
// and permutation; only of `job_uid` unless empty. `token` is the id to go on before. Returns
// the receipts and the next token (empty: no more). Any thread.
absl::StatusOr<std::pair<std::vector<v1::Receipt>, std::string>> ListReceipts(store::Store& store,
                                                                              const std::string& job_uid,
                                                                              const std::string& token, int limit);

class Receipts {
 public:
  explicit Receipts(store::Store& store) : store_(store) {}

  // What there is; of the newest ones also what they say. `known`: whether there is a job of that uid.
  absl::Status Load(const std::function<bool(const std::string& job_uid)>& known);
  void Put(const v1::Receipt& receipt, store::Batch& batch);
  // One that is there already, changed in what doesn't decide anything.
  void Rewrite(const v1::Receipt& receipt, store::Batch& batch);

  // The newest that passed for this digest; the newest of this job.
  std::optional<v1::Receipt> LatestPass(const std::string& digest) const;
  std::optional<v1::Receipt> LatestOf(const JobUid& job) const;
  // Empty: none.
  std::string LatestIdOf(const JobUid& job) const;
  void ForgetJob(const JobUid& job);
  // Deletes the oldest beyond `keep`, but for the latest of each job that is not forgotten.
  void Prune(int64_t keep, store::Batch& batch);
  size_t size() const { return digests_.size(); }
  // As the present turn has it.
  absl::StatusOr<v1::Receipt> Read(const std::string& id) const;
  // What was put is in the store now.
  void Committed() { fresh_.clear(); }

 private:
  void Index(const v1::Receipt& receipt);
  void SetLatest(const std::string& job_uid, const std::string& id);

  store::Store& store_;
  // Put in this turn.
  std::map<std::string, v1::Receipt> fresh_;
  std::map<std::string, std::string> pass_by_digest_;
  std::map<std::string, std::string> latest_by_job_;
  // Of the above.
  std::set<std::string> latest_;
  // All there are, which is the order of their age, with their digests; of old ones empty.
  std::map<std::string, std::string> digests_;
};

}  // namespace muster::core
