#pragma once
// For tests: one gang in a small world of nodes n0, n1, …, moved by hand. Every step is checked for what always holds:
// legal moves, a durable change whenever the record differs, growing numbers, released bytes that never change.

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "lib/gang/answer.h"
#include "lib/gang/demands.h"
#include "lib/gang/event.h"
#include "lib/gang/step.h"

namespace muster::gang {

inline NodeUid Uid(int node) { return NodeUid("uid-n" + std::to_string(node)); }
inline std::string Name(int node) { return "n" + std::to_string(node); }

// A start on a host: only the ordinal counts.
Incarnation OnHost(int64_t ordinal);
// A start in the pod of that uid.
Incarnation InPod(int64_t restart_attempt, int64_t created, const std::string& uid, int64_t ordinal = 1);

// Node rank r on nodes[r]. Pod indexes unknown unless given.
PlacementPtr PlacementOn(const std::vector<int>& nodes, const std::vector<int>& pod_indexes = {});

// `from` -> `to` as the table above State allows it.
bool IsLegal(v1::Phase from, v1::Phase to);

struct HarnessOptions {
  int32_t members = 2;
  int32_t workers = 1;
  v1::PlacementSpec::Source source = v1::PlacementSpec::MUSTER;
  v1::PlacementSpec::RankBy rank_by = v1::PlacementSpec::TOPOLOGY;
  v1::LaunchSpec::Kind launch = v1::LaunchSpec::EXTERNAL;
  bool waived = false;
  bool owned = false;
  v1::LimitsSpec limits = {};
};

class Harness {
 public:
  explicit Harness(HarnessOptions options = {});

  // One checked step.
  Change Do(const Event& event);
  // Moves the clock and says so.
  Change Pass(absl::Duration duration);

  // --- the usual way, each step at a time ---
  void Place(const std::vector<int>& nodes);
  void PlanTest();  // "t<order>" for the present placement
  void Conclude(TestConcluded::Outcome outcome, std::set<NodeUid> accused = {});
  void ConfirmAll();  // the agents end what they were told to
  Change Confirm(int node, OrderNumber number, EndConfirmed::By by = EndConfirmed::By::kAgent);
  void ToTesting(const std::vector<int>& nodes);
  void ToAssembling(const std::vector<int>& nodes);
  // Members call (index i from nodes[i], ordinal `ordinal`, or what the agents started) and run.
  void ToRunning(const std::vector<int>& nodes, int64_t ordinal = 1);
  Answer Call(int index, const Incarnation& incarnation, int node, std::optional<int32_t> local_rank = std::nullopt);
  Answer Ask(int index, const Incarnation& incarnation, int node, std::optional<int32_t> local_rank = std::nullopt);
  Change Exit(int index, int code, bool ordered = false);

  // --- what is seen ---
  v1::Phase phase() const { return PhaseOf(gang.state); }
  template <typename S>
  const S& As() const {
    return std::get<S>(gang.state);
  }
  // "assigned" or "stopping"; empty: free.
  std::string Use(int node) const;
  // "test", "start", "stop" or "forget"; empty: none.
  std::string Order(int node) const;
  OrderNumber OrderNumberOf(int node) const;
  // The bytes that the present epoch gave the member.
  std::string Bytes(int index) const;
  // As after kill -9: the record is read back.
  void Restart();

  Gang gang;
  absl::Time now = absl::FromUnixSeconds(1'000'000'000);

 private:
  void Check(const Gang& before, const std::string& record_before, const Change& change);
  void CheckReleased();

  MeshPart mesh_;
  // By epoch and index: what was ever handed out.
  std::map<std::pair<Epoch, PodIndex>, std::string> handed_out_;
};

// The rows of the table of nodes and uses that the job keeps, for messages.
std::string Describe(const Gang& gang);

}  // namespace muster::gang
