#include "client/agent/simulated_backend.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lib/selftest/simulated_group.h"

namespace muster::agent {
namespace {

class SimulatedGroup : public OpenGroup {
 public:
  SimulatedGroup(GroupSpec spec, std::vector<selftest::SimulatedMember> members, uint64_t seed, bool hang)
      : spec_(std::move(spec)), members_(std::move(members)), seed_(seed), hang_(hang) {}

  absl::StatusOr<Measurement> Run(const v1::TestStep& step, const selftest::Payload&, absl::Time) override {
    while (hang_) pause();
    const auto result = selftest::SimulateMember(step, spec_.index, members_, spec_.position, seed_);
    if (!result.ok()) return result.status();
    Measurement measurement;
    measurement.iteration_us.assign(result->iteration_us().begin(), result->iteration_us().end());
    measurement.data.wrong = result->wrong_elements();
    measurement.data.first = result->first_wrong();
    return measurement;
  }

  void Abort() override {}

 private:
  const GroupSpec spec_;
  const std::vector<selftest::SimulatedMember> members_;
  const uint64_t seed_;
  const bool hang_;
};

class SimulatedBackend : public Backend {
 public:
  SimulatedBackend(std::string node, const Faults& faults, uint64_t seed)
      : node_(std::move(node)), faults_(faults), seed_(seed) {}

  absl::StatusOr<std::unique_ptr<OpenGroup>> Open(const GroupSpec& group, KeyValueClient& exchange,
                                                  absl::Time deadline) override {
    // A message of ours carries node and faults.
    ChildOrder mine;
    mine.set_node(node_);
    *mine.mutable_faults() = faults_;
    const auto key = [&](int64_t rank) { return absl::StrCat(group.Name(), "fault/", rank); };
    const int64_t own = group.members[static_cast<size_t>(group.position)];
    if (absl::Status s = exchange.Set({{key(own), mine.SerializeAsString()}}); !s.ok()) return s;
    std::vector<std::string> keys;
    for (int64_t rank : group.members) keys.push_back(key(rank));
    const auto values = exchange.Wait(keys, deadline - absl::Now());
    if (!values.ok()) return values.status();
    std::vector<selftest::SimulatedMember> members;
    std::map<std::string, int64_t> nodes;
    for (size_t i = 0; i < keys.size(); ++i) {
      ChildOrder theirs;
      if (!theirs.ParseFromString((*values)[i])) return absl::InternalError(absl::StrCat(keys[i], " is unreadable"));
      const int64_t node = nodes.emplace(theirs.node(), static_cast<int64_t>(nodes.size())).first->second;
      members.push_back({group.members[i], node,
                         selftest::LinkFaults{std::max(theirs.faults().slow(), 1.0), theirs.faults().corrupt()}});
    }
    return std::make_unique<SimulatedGroup>(group, std::move(members), seed_, faults_.hang());
  }

 private:
  const std::string node_;
  const Faults faults_;
  const uint64_t seed_;
};

}  // namespace

std::unique_ptr<Backend> MakeSimulatedBackend(const std::string& node, const Faults& faults, uint64_t seed) {
  return std::make_unique<SimulatedBackend>(node, faults, seed);
}

}  // namespace muster::agent
