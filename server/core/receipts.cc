#include "server/core/receipts.h"

#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "server/core/page.h"

namespace muster::core {
namespace {

// Receipts that are looked at when the server starts; older ones still can be read, but allow no release.
constexpr int kIndexed = 5000;
// Rows read from the store at once while looking for those of one job, and the most that one call looks through.
constexpr int kChunk = 32;
constexpr int kLookedThrough = 10000;

bool Passed(const v1::Receipt& receipt) { return receipt.verdict() == v1::PASS || receipt.verdict() == v1::WARN; }

void Shorten(v1::Receipt& receipt) {
  receipt.clear_plans();
  receipt.clear_groups();
  if (static_cast<int64_t>(receipt.ByteSizeLong()) <= kLongEntry) return;
  receipt.clear_nodes();
  receipt.clear_placement();
  receipt.mutable_mesh()->clear_permutation();
}

}  // namespace

absl::StatusOr<v1::Receipt> ReadReceipt(store::Store& store, const std::string& id) {
  absl::StatusOr<absl::optional<std::string>> bytes = store.Get(store::Kind::kReceipt, id);
  if (!bytes.ok()) return bytes.status();
  if (!*bytes) {
    return OutcomeError(absl::StatusCode::kNotFound, v1::BAD_REQUEST, absl::StrCat("there is no receipt ", id),
                        "list what there is with \"muster get receipts\"");
  }
  v1::Receipt receipt;
  if (!receipt.ParseFromString(**bytes))
    return absl::DataLossError(absl::StrCat("receipt ", id, " is damaged in the store"));
  return receipt;
}

absl::StatusOr<std::pair<std::vector<v1::Receipt>, std::string>> ListReceipts(store::Store& store,
                                                                              const std::string& job_uid,
                                                                              const std::string& token, int limit) {
  Page page(limit);
  std::vector<v1::Receipt> found;
  std::string before = token;
  for (int looked = 0; looked < kLookedThrough;) {
    absl::StatusOr<std::vector<store::Record>> rows = store.Scan(store::Kind::kReceipt, before, kChunk);
    if (!rows.ok()) return rows.status();
    for (const store::Record& row : *rows) {
      v1::Receipt receipt;
      if (!receipt.ParseFromString(row.value) || (!job_uid.empty() && receipt.job_uid() != job_uid)) {
        before = row.key;
        continue;
      }
      Shorten(receipt);
      if (!page.Take(receipt)) return std::make_pair(std::move(found), before);
      before = row.key;
      found.push_back(std::move(receipt));
    }
    if (rows->size() < kChunk) return std::make_pair(std::move(found), std::string());
    looked += kChunk;
  }
  return std::make_pair(std::move(found), before);
}

absl::Status Receipts::Load(const std::function<bool(const std::string&)>& known) {
  absl::StatusOr<std::vector<std::string>> ids = store_.Keys(store::Kind::kReceipt);
  if (!ids.ok()) return ids.status();
  for (std::string& id : *ids) digests_.try_emplace(digests_.end(), std::move(id));
  // From the newest on: what comes later was overruled. Few at a time, as each may be large.
  std::set<std::string> decided;
  std::string before;
  for (int looked = 0; looked < kIndexed; looked += kChunk) {
    absl::StatusOr<std::vector<store::Record>> rows = store_.Scan(store::Kind::kReceipt, before, kChunk);
    if (!rows.ok()) return rows.status();
    for (const store::Record& row : *rows) {
      before = row.key;
      v1::Receipt receipt;
      if (!receipt.ParseFromString(row.value))
        return absl::DataLossError(absl::StrCat("receipt ", row.key, " is damaged"));
      if (latest_by_job_.count(receipt.job_uid()) == 0 && known(receipt.job_uid()))
        SetLatest(receipt.job_uid(), receipt.id());
      digests_[receipt.id()] = receipt.placement_digest();
      if (receipt.waived() || !decided.insert(receipt.placement_digest()).second) continue;
      if (Passed(receipt)) pass_by_digest_[receipt.placement_digest()] = receipt.id();
    }
    if (rows->size() < kChunk) break;
  }
  return absl::OkStatus();
}

void Receipts::SetLatest(const std::string& job_uid, const std::string& id) {
  std::string& latest = latest_by_job_[job_uid];
  latest_.erase(latest);
  latest = id;
  latest_.insert(id);
}

void Receipts::ForgetJob(const JobUid& job) {
  const auto found = latest_by_job_.find(job.value());
  if (found == latest_by_job_.end()) return;
  latest_.erase(found->second);
  latest_by_job_.erase(found);
}

void Receipts::Prune(int64_t keep, store::Batch& batch) {
  int64_t excess = static_cast<int64_t>(digests_.size()) - keep;
  for (auto i = digests_.begin(); excess > 0 && i != digests_.end();) {
    if (latest_.count(i->first) > 0) {
      ++i;
      continue;
    }
    const auto pass = pass_by_digest_.find(i->second);
    if (pass != pass_by_digest_.end() && pass->second == i->first) pass_by_digest_.erase(pass);
    fresh_.erase(i->first);
    batch.Delete(store::Kind::kReceipt, i->first);
    i = digests_.erase(i);
    --excess;
  }
}

void Receipts::Index(const v1::Receipt& receipt) {
  SetLatest(receipt.job_uid(), receipt.id());
  digests_[receipt.id()] = receipt.placement_digest();
  if (receipt.waived()) return;
  if (Passed(receipt)) {
    pass_by_digest_[receipt.placement_digest()] = receipt.id();
  } else {
    // What failed since speaks against an older pass.
    pass_by_digest_.erase(receipt.placement_digest());
  }
}

void Receipts::Put(const v1::Receipt& receipt, store::Batch& batch) {
  Index(receipt);
  Rewrite(receipt, batch);
}

void Receipts::Rewrite(const v1::Receipt& receipt, store::Batch& batch) {
  fresh_[receipt.id()] = receipt;
  batch.Put(store::Kind::kReceipt, receipt.id(), receipt.SerializeAsString());
}

absl::StatusOr<v1::Receipt> Receipts::Read(const std::string& id) const {
  const auto fresh = fresh_.find(id);
  return fresh != fresh_.end() ? fresh->second : ReadReceipt(store_, id);
}

std::optional<v1::Receipt> Receipts::LatestPass(const std::string& digest) const {
  const auto found = pass_by_digest_.find(digest);
  if (found == pass_by_digest_.end()) return std::nullopt;
  absl::StatusOr<v1::Receipt> receipt = Read(found->second);
  if (!receipt.ok()) return std::nullopt;
  return *std::move(receipt);
}

std::optional<v1::Receipt> Receipts::LatestOf(const JobUid& job) const {
  const std::string id = LatestIdOf(job);
  if (id.empty()) return std::nullopt;
  absl::StatusOr<v1::Receipt> receipt = Read(id);
  if (!receipt.ok()) return std::nullopt;
  return *std::move(receipt);
}

std::string Receipts::LatestIdOf(const JobUid& job) const {
  const auto found = latest_by_job_.find(job.value());
  return found == latest_by_job_.end() ? "" : found->second;
}

}  // namespace muster::core
