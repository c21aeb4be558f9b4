#pragma once
// For tests: a gang in a small world whose agents are slow, whose messages are late, doubled or from the past, and
// whose coordinator restarts from its record in the middle. It moves at random; after every step, what must always hold
// of one job is compared with what really runs in that world (a violation fails the running test).

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/gang/gang_harness.h"

namespace muster::gang {

inline constexpr int kWorldNodes = 5;
inline constexpr int kWorldMembers = 3;

// The number in Uid(number).
inline int NodeOf(const NodeUid& uid) { return uid.value().back() - '0'; }

// What an agent has taken and what of it still lives.
struct Agent {
  uint64_t highest = 0;
  std::set<uint64_t> running;  // numbers of the orders whose children live
};

// A process that called: `epoch` is set while its command runs.
struct Client {
  int index = 0;
  Incarnation incarnation;
  int node = 0;
  bool by_agent = false;
  bool alive = true;
  Epoch epoch = {};
  Epoch last_epoch = {};  // of the last assignment it got
};

class World {
 public:
  // Equal seeds walk equal ways. `options` has kWorldMembers members.
  World(uint64_t seed, HarnessOptions options) : h(options), options_(options), random_(seed) {}

  // One event of any kind.
  void Move();
  bool over() const { return h.phase() == v1::FINISHED && Roll(20) == 0; }
  // What happened, for messages.
  const std::string& trace() const { return trace_; }

  Harness h;

 private:
  int Roll(int sides) const { return static_cast<int>(random_() % sides); }
  void Do(const Event& event);
  void Check(const Gang& before, const Event& event, const Change& change);
  void CheckHeld();
  void CheckEntered(const Gang& before, v1::Phase phase);
  void CheckOrders();
  void CheckAnswers();

  // Where agents start the members, everybody else: they count for nothing.
  bool IsStranger(const Incarnation& incarnation) const {
    return options_.launch == v1::LaunchSpec::AGENT && incarnation.uid != h.gang.uid.value();
  }
  bool IsFree(int node) const { return !bad_.contains(node) && h.Use(node).empty(); }
  std::vector<int> FreeNodes();
  PlacementPtr Choose();
  void Engine();
  void Test();
  void Deliver();
  void AgentEnds();
  void ClientActs();
  void NewClient();
  void LateCall();
  void NodeHappens();
  void ClusterHappens();
  void Hostile();
  void Restart();
  void Reserve();
  void Leave(Client& client, int code, bool ordered);

  HarnessOptions options_;
  mutable std::mt19937_64 random_;
  std::map<NodeUid, Agent> agents_;
  std::vector<std::pair<NodeUid, v1::Task>> sent_;  // every order ever, to be delivered late or twice
  std::vector<EndConfirmed> confirmed_;             // likewise
  std::vector<MemberCalled> called_;                // likewise, to this life of the coordinator
  std::vector<Client> clients_;
  std::map<PodIndex, Incarnation> greatest_;
  std::map<std::string, std::string> passes_;  // receipt -> digest that it is good for
  std::set<int> bad_;
  std::map<NodeUid, std::pair<uint64_t, std::string>> ordered_;
  int64_t ordinal_ = 0;
  int reservation_ = 0;
  int64_t owner_restarts_ = 0;
  std::string trace_;
};

}  // namespace muster::gang
