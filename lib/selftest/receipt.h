#pragma once
// The durable record of a concluded self-test.

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "lib/base/ids.h"
#include "lib/selftest/rounds.h"
#include "lib/selftest/setting.h"
#include "proto/muster/v1/receipt.pb.h"

namespace muster::selftest {

inline constexpr int32_t kReceiptFormat = 1;
// Worlds up to this size have every group in the receipt; larger ones only those that are not a plain pass.
inline constexpr int64_t kEveryGroupUpTo = 1024;

struct ReceiptIdentity {
  ReceiptId id;
  JobUid job_uid;
  std::string ns, name;
  Attempt attempt;
  std::string trigger = "preflight";
  absl::Time started, finished;
  std::string coordinator_version;
  v1::MeshSpec mesh;
  std::vector<v1::NodeSurroundings> nodes;
};

v1::Receipt MakeReceipt(const ReceiptIdentity& identity, const Setting& setting, absl::Span<const Round> rounds,
                        const Conclusion& conclusion);

// Released untested by policy: no rounds, waived = true, verdict SKIPPED.
v1::Receipt MakeWaiver(const ReceiptIdentity& identity, const Setting& setting, const std::string& why);

}  // namespace muster::selftest
