#pragma once
// What runs collectives. One backend object per test child; used from one thread.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/agent/child.pb.h"
#include "client/key_value/key_value_client.h"
#include "lib/selftest/payload.h"
#include "proto/muster/v1/selftest.pb.h"

namespace muster::agent {

// One communicator's identity and this worker's place in it.
struct GroupSpec {
  std::string family;
  int64_t index = 0;
  // Global ranks in group order; at least two.
  std::vector<int64_t> members;
  int64_t position = 0;

  // Prefix of its keys: unique within a test's round.
  std::string Name() const;
};

// What running one step gave. `error` beside measurements: it broke on the way.
struct Measurement {
  std::vector<double> iteration_us;
  selftest::Payload::Verdict data;
};

// An open group. Usable until the first error; then only Abort and destruction.
class OpenGroup {
 public:
  virtual ~OpenGroup() = default;

  // Warm-ups, a check of the data, the timed iterations, another check. `payload` is this member's part of `step`.
  // Errors as the library has them; ones that begin with "config: " are the job's or node's own (lib/selftest).
  virtual absl::StatusOr<Measurement> Run(const v1::TestStep& step, const selftest::Payload& payload,
                                          absl::Time deadline) = 0;
  // Frees what can be freed without the peers' help.
  virtual void Abort() = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;

  // Meets the other members through `exchange`. DEADLINE_EXCEEDED: some of them didn't come.
  virtual absl::StatusOr<std::unique_ptr<OpenGroup>> Open(const GroupSpec& group, KeyValueClient& exchange,
                                                          absl::Time deadline) = 0;
};

}  // namespace muster::agent
