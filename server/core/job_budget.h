#pragma once
// What jobs may take of the coordinator's memory, so that no client, and no namespace, can take it from the others.

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "proto/muster/v1/job.pb.h"

namespace muster::core {

// Bytes that a live job may come to hold: its spec, and for each member what is recorded of it and its assignment,
// which carries the mesh's permutation. An estimate, but never under half of what is measured.
int64_t WeightOf(const v1::JobSpec& spec);
// The same of one that has finished: its assignments are gone.
int64_t FinishedWeightOf(const v1::JobSpec& spec);

class JobBudget {
 public:
  // One namespace may have half of `limit`, so that others always find room.
  explicit JobBudget(int64_t limit) : limit_(limit) {}

  // RESOURCE_EXHAUSTED: one more of this weight is too much, for all or for the namespace; says limit, use and way out.
  absl::Status Room(const std::string& ns, int64_t weight) const;
  void Take(const std::string& ns, int64_t weight);
  void Return(const std::string& ns, int64_t weight);

  int64_t used() const { return used_; }

 private:
  const int64_t limit_;
  int64_t used_ = 0;
  std::map<std::string, int64_t> by_namespace_;
};

}  // namespace muster::core
