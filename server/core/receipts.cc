#include "server/core/receipts.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"

namespace muster::core {
namespace {

// Receipts that are looked at when the server starts; older ones still can be read, but allow no release.
constexpr int kIndexed = 5000;
// Rows read from the store at once while looking for those of one job, and the most that one call looks through.
constexpr int kChunk = 200;
constexpr int kLookedThrough = 10000;

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
  std::vector<v1::Receipt> found;
  std::string before = token;
  for (int looked = 0; looked < kLookedThrough;) {
    absl::StatusOr<std::vector<store::Record>> rows = store.Scan(store::Kind::kReceipt, before, kChunk);
    if (!rows.ok()) return rows.status();
    for (const store::Record& row : *rows) {
      before = row.key;
      v1::Receipt receipt;
      if (!receipt.ParseFromString(row.value)) continue;
      if (!job_uid.empty() && receipt.job_uid() != job_uid) continue;
      receipt.clear_plans();
      receipt.clear_groups();
      found.push_back(std::move(receipt));
      if (static_cast<int>(found.size()) == limit) return std::make_pair(std::move(found), before);
    }
    if (rows->size() < kChunk) return std::make_pair(std::move(found), std::string());
    looked += kChunk;
  }
  return std::make_pair(std::move(found), before);
}

absl::Status Receipts::Load() {
  absl::StatusOr<std::vector<store::Record>> rows = store_.Scan(store::Kind::kReceipt, "", kIndexed);
  if (!rows.ok()) return rows.status();
  std::reverse(rows->begin(), rows->end());
  for (const store::Record& row : *rows) {
    v1::Receipt receipt;
    if (!receipt.ParseFromString(row.value))
      return absl::DataLossError(absl::StrCat("receipt ", row.key, " is damaged"));
    Index(receipt);
  }
  return absl::OkStatus();
}

void Receipts::Index(const v1::Receipt& receipt) {
  latest_by_job_[receipt.job_uid()] = receipt.id();
  if (receipt.waived()) return;
  if (receipt.verdict() == v1::PASS || receipt.verdict() == v1::WARN) {
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
