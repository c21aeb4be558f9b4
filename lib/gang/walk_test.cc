// A gang walked at random in a small world whose agents are slow, whose messages are late, doubled or from the past,
// and whose coordinator restarts from its record in the middle. After every step, what must always hold of one job
// (docs: invariants) is compared with what really runs in that world.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "lib/gang/gang_harness.h"
#include "proto/muster/v1/assignment.pb.h"

namespace muster::gang {
namespace {

using Outcome = TestConcluded::Outcome;
constexpr int kNodes = 5;
constexpr int kMembers = 3;

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
  World(uint64_t seed, HarnessOptions options) : h(options), options_(options), random_(seed) {}

  // One event of any kind; returns false once nothing more can happen.
  void Move();
  bool over() const { return h.phase() == v1::FINISHED && Roll(20) == 0; }
  std::string trace() const { return trace_; }

  Harness h;

 private:
  int Roll(int sides) const { return static_cast<int>(random_() % sides); }
  void Do(const Event& event);
  void Check(const Gang& before, const Event& event, const Change& change);
  void CheckHeld();
  void CheckEntered(const Gang& before, v1::Phase phase);
  void CheckOrders();
  void CheckAnswers();

  bool IsFree(int node) const { return !bad_.contains(node) && h.Use(node).empty(); }
  std::vector<int> FreeNodes();
  PlacementPtr Choose();
  void Engine();
  void Test();
  void Deliver();
  void AgentEnds();
  void ClientActs();
  void NewClient();
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

int NodeOf(const NodeUid& uid) { return uid.value().back() - '0'; }

void World::Do(const Event& event) {
  const Gang before = h.gang;
  if (const auto* call = std::get_if<MemberCalled>(&event); call && h.phase() != v1::FINISHED) {
    if (call->index.value() >= 0 && call->index.value() < kMembers && !call->local_rank) {
      Incarnation& greatest = greatest_[call->index];
      greatest = std::max(greatest, call->incarnation);
    }
  }
  if (const auto* bound = std::get_if<PodBound>(&event); bound && h.phase() != v1::FINISHED) {
    Incarnation& greatest = greatest_[bound->index];
    if (greatest.uid != bound->incarnation.uid) greatest = std::max(greatest, bound->incarnation);
  }
  const Change change = h.Do(event);
  absl::StrAppend(&trace_, event.index(), " ");
  for (const v1::Phase phase : change.phases) absl::StrAppend(&trace_, v1::Phase_Name(phase), " ");
  for (const auto& [node, task] : Orders(h.gang)) {
    if (sent_.size() < 400 || Roll(4) == 0) sent_.emplace_back(node, task);
  }
  for (const auto& quarantine : change.quarantines) bad_.insert(NodeOf(quarantine.node));
  Check(before, event, change);
}

void World::Check(const Gang& before, const Event& event, const Change& change) {
  for (const v1::Phase phase : change.phases) CheckEntered(before, phase);
  CheckHeld();
  CheckOrders();
  CheckAnswers();
  const bool settled = h.phase() == v1::QUEUED || h.phase() == v1::AWAITING || h.phase() == v1::FINISHED;
  const auto* stopping = std::get_if<Stopping>(&h.gang.state);
  if (settled || (stopping != nullptr && stopping->next != Next::kPlaced)) {
    for (int node = 0; node < kNodes; ++node) EXPECT_NE(h.Use(node), "assigned") << "a stopped gang holds nothing";
  }
  if (h.gang.cancelled) {
    EXPECT_TRUE(h.phase() == v1::FINISHED || (stopping != nullptr && stopping->next == Next::kFinished));
  }
  if (stopping != nullptr && std::holds_alternative<Stopping>(before.state) && change.phases.size() <= 1) {
    EXPECT_GE(stopping->next, std::get<Stopping>(before.state).next) << "next only moves later";
  }
  EXPECT_LE(h.gang.tries, 4);
  EXPECT_LE(h.gang.restarts, 4);
  if (std::holds_alternative<TimePassed>(event)) {
    EXPECT_GT(NextDeadline(h.gang), h.now) << "time alone can't stand still";
  }
}

// No node is given on while anything of this job that Muster has to end still runs there.
void World::CheckHeld() {
  for (const auto& [uid, agent] : agents_) {
    if (!agent.running.empty()) {
      EXPECT_NE(h.Use(NodeOf(uid)), "") << "children live on " << uid;
    }
  }
  if (options_.source != v1::PlacementSpec::MUSTER) return;
  for (const Client& client : clients_) {
    if (client.alive && !client.by_agent && client.epoch.value() > 0) {
      EXPECT_NE(h.Use(client.node), "") << "member " << client.index << " runs epoch " << client.epoch;
    }
  }
}

void World::CheckEntered(const Gang& before, v1::Phase phase) {
  if (phase == v1::TESTING && !std::holds_alternative<Testing>(before.state)) {
    for (const Seats::Node& node : h.gang.seats->nodes()) {
      EXPECT_TRUE(agents_[node.uid].running.empty()) << "tested beside children of before on " << node.name;
      if (options_.source != v1::PlacementSpec::MUSTER) continue;
      for (const Client& client : clients_) {
        const bool beside = client.alive && client.epoch.value() > 0 && Name(client.node) == node.name;
        EXPECT_FALSE(beside) << "tested beside member " << client.index << " of epoch " << client.epoch;
      }
    }
  }
  if (phase != v1::RUNNING || h.phase() != v1::RUNNING) return;
  const Released& released = *h.As<Running>().released;
  EXPECT_EQ(released.epoch.value(), before.epoch.value() + 1);
  std::set<int32_t> ranks;
  for (const auto& [index, bound] : released.members) {
    v1::Assignment assignment;
    ASSERT_TRUE(assignment.ParseFromString(bound.assignment));
    EXPECT_TRUE(bound.incarnation == greatest_[index]) << "a superseded start was released";
    EXPECT_EQ(assignment.placement_digest(), released.placement->digest());
    EXPECT_EQ(assignment.node(), released.placement->ranks(assignment.node_rank()).node());
    ranks.insert(assignment.node_rank());
    if (h.gang.waived) continue;
    const auto pass = passes_.find(assignment.receipt_id());
    ASSERT_NE(pass, passes_.end()) << "released on a pass that is void: " << assignment.receipt_id();
    EXPECT_EQ(pass->second, assignment.placement_digest());
  }
  EXPECT_EQ(ranks.size(), static_cast<size_t>(kMembers));
  EXPECT_EQ(*ranks.rbegin(), kMembers - 1);
}

// One number is one order a node, and numbers only grow.
void World::CheckOrders() {
  for (const auto& [node, task] : Orders(h.gang)) {
    auto& [number, bytes] = ordered_[node];
    EXPECT_GE(task.mark().number(), number) << "an order from the past to " << node;
    std::string now;
    task.SerializeToString(&now);
    if (task.mark().number() == number) {
      EXPECT_EQ(now, bytes) << "two orders of one number to " << node;
    }
    number = task.mark().number();
    bytes = std::move(now);
  }
}

// The superseded are told at once and for ever; ranks only in Running.
void World::CheckAnswers() {
  for (const Client& client : clients_) {
    const auto greatest = greatest_.find(PodIndex(client.index));
    if (greatest == greatest_.end() || h.phase() == v1::FINISHED) continue;
    const Answer answer = h.Ask(client.index, client.incarnation, client.node);
    if (client.incarnation < greatest->second) {
      EXPECT_EQ(answer.outcome, v1::SUPERSEDED) << "member " << client.index;
    }
    if (answer.outcome == v1::READY) {
      EXPECT_EQ(h.phase(), v1::RUNNING);
    }
  }
}

std::vector<int> World::FreeNodes() {
  std::vector<int> free;
  for (int node = 0; node < kNodes; ++node) {
    if (IsFree(node)) free.push_back(node);
  }
  std::shuffle(free.begin(), free.end(), random_);
  return free;
}

PlacementPtr World::Choose() {
  std::vector<int> nodes = FreeNodes();
  if (nodes.size() < kMembers) return nullptr;
  nodes.resize(kMembers);
  return PlacementOn(nodes);
}

void World::Engine() {
  if (!h.gang.facts.reservation || h.gang.facts.spent == h.gang.facts.reservation) Reserve();
  if (WantsPlacement(h.gang) && options_.source == v1::PlacementSpec::MUSTER) {
    if (PlacementPtr placement = Choose()) return Do(PlacementFound{placement});
  }
  if (WantsPlacement(h.gang)) {
    std::vector<int> nodes, indexes;
    for (const auto& [index, node] : h.gang.facts.bound) {
      nodes.push_back(node.back() - '0');
      indexes.push_back(index.value());
    }
    return Do(PlacementFound{PlacementOn(nodes, indexes)});
  }
  const auto* repairing = std::get_if<Repairing>(&h.gang.state);
  if (repairing == nullptr || !WantsReplacement(h.gang)) return;
  std::vector<int> free = FreeNodes(), nodes, indexes;
  for (int rank = 0; rank < kMembers; ++rank) {
    const v1::PlacedNode& placed = repairing->placement->ranks(rank);
    int node = NodeOf(NodeUid(placed.node_uid()));
    const auto bound = h.gang.facts.bound.find(PodIndex(placed.pod_index()));
    if (options_.source == v1::PlacementSpec::BOUND && bound != h.gang.facts.bound.end()) {
      node = bound->second.back() - '0';
    } else if (options_.source == v1::PlacementSpec::KUEUE) {
      std::set<int> occupied, seated;
      for (const auto& [index, name] : h.gang.facts.bound) occupied.insert(name.back() - '0');
      for (const v1::PlacedNode& other : repairing->placement->ranks()) seated.insert(other.node().back() - '0');
      for (const int other : occupied) {
        const bool taken = std::count(nodes.begin(), nodes.end(), other) > 0;
        if (!occupied.contains(node) && !seated.contains(other) && !taken) node = other;
      }
    } else if (repairing->vacated.contains(Uid(node))) {
      if (free.empty()) return;
      node = free.back();
      free.pop_back();
    }
    nodes.push_back(node);
    indexes.push_back(placed.pod_index());
  }
  Do(ReplacementFound{PlacementOn(nodes, indexes)});
}

void World::Test() {
  if (WantsTestPlan(h.gang)) {
    const std::string digest = PlacementOf(h.gang.state)->digest();
    for (const auto& [receipt, good] : passes_) {
      if (good == digest && Roll(2) == 0) return Do(ReceiptFound{ReceiptId(receipt), digest});
    }
    auto plan = std::make_shared<v1::TestPlan>();
    plan->set_round(1);
    plan->set_placement_digest(digest);
    return Do(TestPlanned{TestId(absl::StrCat("t", h.gang.order.value())), plan});
  }
  const auto* testing = std::get_if<Testing>(&h.gang.state);
  if (testing == nullptr) return;
  if (Roll(6) == 0) {
    auto plan = std::make_shared<v1::TestPlan>(*testing->plan);
    plan->set_round(plan->round() + 1);
    return Do(TestPlanned{testing->test, plan});
  }
  const int roll = Roll(20);
  const Outcome outcome = roll < 16   ? Outcome::kPassed
                          : roll < 18 ? Outcome::kAccused
                          : roll < 19 ? Outcome::kInconclusive
                                      : Outcome::kConfig;
  const std::string receipt = absl::StrCat("r-", testing->test.value(), "-", h.gang.order.value());
  if (outcome == Outcome::kPassed && !testing->passed) passes_[receipt] = testing->placement->digest();
  Do(TestConcluded{.test = testing->test,
                   .outcome = outcome,
                   .accused = {Uid(Roll(kNodes))},
                   .receipt = ReceiptId(receipt),
                   .why = "numbers"});
}

// An order arrives, late or again; the agent takes only higher numbers.
void World::Deliver() {
  if (sent_.empty()) return;
  const size_t from =
      Roll(3) == 0 ? Roll(static_cast<int>(sent_.size())) : sent_.size() - 1 - Roll(std::min<int>(6, sent_.size()));
  const auto& [node, task] = sent_[from];
  Agent& agent = agents_[node];
  if (task.mark().number() <= agent.highest) return;
  agent.highest = task.mark().number();
  if (task.has_run_test()) agent.running = {task.mark().number()};
  if (!task.has_start_members()) return;
  agent.running.insert(task.mark().number());
  for (const auto& member : task.start_members().members()) {
    clients_.push_back({.index = member.pod_index(),
                        .incarnation = {.uid = member.incarnation().uid(), .ordinal = member.incarnation().ordinal()},
                        .node = NodeOf(node),
                        .by_agent = true});
  }
}

// Children end, by themselves or as ordered, and the agent says so, perhaps twice.
void World::AgentEnds() {
  if (!confirmed_.empty() && Roll(3) == 0) return Do(confirmed_[Roll(static_cast<int>(confirmed_.size()))]);
  if (agents_.empty()) return;
  auto it = std::next(agents_.begin(), Roll(static_cast<int>(agents_.size())));
  const std::string order = h.Order(NodeOf(it->first));
  if (order != "stop" && order != "test") return;
  if (h.OrderNumberOf(NodeOf(it->first)).value() != it->second.highest) return;  // not arrived yet
  it->second.running.clear();
  for (Client& client : clients_) {
    if (client.by_agent && Uid(client.node) == it->first) client.alive = false;
  }
  confirmed_.push_back({.node = it->first, .number = OrderNumber(it->second.highest)});
  Do(confirmed_.back());
}

void World::NewClient() {
  int index = Roll(kMembers);
  for (int other = 0; other < kMembers; ++other) {
    const bool missing =
        std::none_of(clients_.begin(), clients_.end(), [other](const Client& client) { return client.index == other; });
    if (missing) index = other;
  }
  int node = Roll(kNodes);
  if (h.gang.seats != nullptr && Roll(24) != 0)
    node = NodeOf(h.gang.seats->nodes()[index % h.gang.seats->nodes().size()].uid);
  const auto bound = h.gang.facts.bound.find(PodIndex(index));
  if (bound != h.gang.facts.bound.end() && Roll(24) != 0) node = bound->second.back() - '0';
  const int64_t ordinal = Roll(5) == 0 ? Roll(10) : ++ordinal_ + 10;
  const bool pods = options_.source != v1::PlacementSpec::MUSTER;
  const Incarnation incarnation =
      pods ? InPod(owner_restarts_, ordinal, absl::StrCat("p", ordinal, "-", index)) : OnHost(ordinal);
  clients_.push_back({.index = index, .incarnation = incarnation, .node = node});
}

void World::Leave(Client& client, int code, bool ordered) {
  const Epoch epoch = client.epoch;
  client.epoch = {};
  if (!ordered) client.alive = false;  // `muster exec` ends with its command
  Do(CommandEnded{.index = PodIndex(client.index),
                  .incarnation = client.incarnation,
                  .local_rank = std::nullopt,
                  .epoch = epoch,
                  .exit_code = code,
                  .ordered = ordered});
}

void World::ClientActs() {
  std::erase_if(clients_, [](const Client& client) { return !client.alive; });
  const bool agents = options_.launch == v1::LaunchSpec::AGENT;
  if (agents ? Roll(100) == 0 : clients_.size() < kMembers || Roll(60) == 0) NewClient();
  if (clients_.empty()) return;
  Client& client = clients_[Roll(static_cast<int>(clients_.size()))];
  if (client.epoch.value() > 0) {
    const Watch watch =
        WatchFor(h.gang, {PodIndex(client.index), client.incarnation, std::nullopt, Name(client.node)}, client.epoch);
    if (watch.order != Watch::Order::kContinue) return Leave(client, 143, true);
    const int roll = Roll(40);
    if (roll < 2) return Leave(client, roll, false);
    if (roll == 2) return Do(LeaseLost{PodIndex(client.index)});
    if (roll == 3) return Do(LeaseRenewed{PodIndex(client.index), client.incarnation});
    return;
  }
  if (Roll(25) == 0) return Do(MemberHungUp{PodIndex(client.index), client.incarnation, std::nullopt});
  Do(MemberCalled{.index = PodIndex(client.index),
                  .incarnation = client.incarnation,
                  .local_rank = std::nullopt,
                  .node = Name(client.node),
                  .address = "10.0.0.1",
                  .last_epoch = client.last_epoch});
  for (Client& waiting : clients_) {
    if (!waiting.alive || waiting.epoch.value() > 0) continue;
    const Answer answer = h.Ask(waiting.index, waiting.incarnation, waiting.node);
    if (answer.outcome == v1::READY && Roll(4) != 0) waiting.epoch = waiting.last_epoch = h.gang.epoch;
    if (answer.outcome != v1::READY && answer.outcome != v1::OUTCOME_NOT_READY && !waiting.by_agent)
      waiting.alive = false;
  }
}

void World::NodeHappens() {
  const int node = Roll(kNodes);
  switch (Roll(10)) {
    case 0:
      bad_.insert(node);
      return Do(NodeLost{Uid(node), "no heartbeat"});
    case 1:
      bad_.insert(node);
      return Do(NodeQuarantined{Uid(node), "by hand"});
    case 2:
      std::erase_if(
          passes_, [node](const auto& pass) { return pass.second.find(absl::StrCat("-", node)) != std::string::npos; });
      return Do(NodeChanged{Uid(node), "boot id"});
    case 3:
      if (h.gang.seats == nullptr || h.gang.seats->FindUid(Uid(node)) == nullptr) return;
      return Do(StartRefused{Uid(node), h.OrderNumberOf(node), "not allowed"});
    default:
      if (bad_.empty()) return;
      const int restored = *std::next(bad_.begin(), Roll(static_cast<int>(bad_.size())));
      bad_.erase(restored);
      return Do(NodeRestored{Uid(restored)});
  }
}

void World::ClusterHappens() {
  switch (Roll(10)) {
    case 0:
      return Do(OwnerRestarted{Roll(2) == 0 ? owner_restarts_ : ++owner_restarts_});
    case 1:
      if (Roll(20) == 0) return Do(OwnerFinished{.succeeded = Roll(2) == 0});
      if (Roll(20) == 0) return Do(OwnerDeleted{});
      return;
    case 2:
      return Do(Evicted{});
    case 3:
      if (h.gang.verdict_owed) return Do(VerdictSeen{h.gang.verdict_owed->reservation});
      return;
    case 4: {
      if (clients_.empty()) return;
      Client& client = clients_[Roll(static_cast<int>(clients_.size()))];
      if (client.by_agent || options_.source == v1::PlacementSpec::MUSTER) return;
      if (Roll(2) == 0) return Do(PodTerminating{PodIndex(client.index), client.incarnation});
      client.alive = false;
      return Do(PodGone{PodIndex(client.index), client.incarnation});
    }
    case 5: {
      if (options_.source == v1::PlacementSpec::MUSTER || clients_.empty()) return;
      const Client& client = clients_[Roll(static_cast<int>(clients_.size()))];
      return Do(PodBound{PodIndex(client.index), client.incarnation, Name(client.node)});
    }
    default:
      return Reserve();
  }
}

void World::Reserve() {
  if (options_.source != v1::PlacementSpec::KUEUE) return;
  if (PlacementPtr placement = Choose()) {
    const std::string number = absl::StrCat(++reservation_);
    Do(Reserved{{Roll(5) == 0 ? "w" + number : "w", h.now, number}, placement});
  }
}

// What never applies, or comes from another time, job or mind.
void World::Hostile() {
  const int index = std::vector<int>{-1, kMembers, 1 << 30}[Roll(3)];
  switch (Roll(12)) {
    case 0:
      return Do(MemberCalled{.index = PodIndex(index), .incarnation = OnHost(1), .node = "n0"});
    case 1:
      return Do(CommandEnded{PodIndex(Roll(kMembers)), OnHost(Roll(50)), std::nullopt, Epoch(Roll(9) - 4), 1, false});
    case 2:
      return Do(EndConfirmed{.node = Uid(Roll(kNodes)), .number = OrderNumber(h.gang.order.value() + 1 + Roll(9))});
    case 3:
      return Do(EndConfirmed{.node = NodeUid("another's"), .number = h.gang.order});
    case 4:
      return Do(PlacementFound{Roll(2) == 0 ? nullptr : PlacementOn({0, 1})});
    case 5:
      return Do(ReplacementFound{Roll(2) == 0 ? nullptr : PlacementOn({4, 4, 4})});
    case 6:
      return Do(TestConcluded{
          .test = TestId("t-old"), .outcome = Outcome::kPassed, .accused = {}, .receipt = ReceiptId("bad"), .why = ""});
    case 7:
      return Do(ReceiptFound{ReceiptId("bad"), "digest-of-another"});
    case 8:
      return Do(TestPlanned{TestId("t"), nullptr});
    case 9:
      return Do(StartRefused{Uid(Roll(kNodes)), OrderNumber(Roll(3)), ""});
    case 10:
      return Do(MemberHungUp{PodIndex(index), OnHost(1), -7});
    default:
      return Do(LeaseLost{PodIndex(index)});
  }
}

void World::Move() {
  const int roll = Roll(200);
  if (roll < 24) return Engine();
  if (roll < 44) return Test();
  if (roll < 76) return Deliver();
  if (roll < 108) return AgentEnds();
  if (roll < 176) return ClientActs();
  if (roll < 180) return NodeHappens();
  if (roll < 186) return ClusterHappens();
  if (roll < 193) return Hostile();
  if (roll < 197) {
    h.now += absl::Seconds(Roll(10) == 0 ? Roll(700) : Roll(40));
    return Do(TimePassed{});
  }
  if (roll < 199) return Restart();
  if (Roll(12) == 0) Do(CancelRequested{"enough"});
}

// kill -9: what was not recorded, nobody was told of.
void World::Restart() {
  h.Restart();
  greatest_.clear();
  for (const auto& [index, member] : h.gang.members) greatest_[index] = *member.incarnation;
  absl::StrAppend(&trace_, "restart ");
}

struct Row {
  const char* name;
  HarnessOptions options;
};

class Walk : public testing::TestWithParam<Row> {};

TEST_P(Walk, AnyOrderOfEvents_KeepsTheInvariants) {
  int steps = 0;
  int released = 0;
  std::map<v1::Phase, int> seen;
  for (uint64_t seed = 1; steps < 8000; ++seed) {
    World world(seed, GetParam().options);
    for (int i = 0; i < 400 && !world.over(); ++i, ++steps) {
      world.Move();
      ++seen[world.h.phase()];
      ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed << ", step " << i << "\n"
                                                << world.trace() << "\n"
                                                << Describe(world.h.gang);
    }
    released += static_cast<int>(world.h.gang.epoch.value());
  }
  // The walk must get everywhere, or it proves nothing.
  EXPECT_GT(released, 5);
  for (const v1::Phase phase :
       {v1::PLACED, v1::TESTING, v1::ASSEMBLING, v1::RUNNING, v1::REPAIRING, v1::STOPPING, v1::FINISHED}) {
    if (GetParam().options.waived && (phase == v1::TESTING || phase == v1::PLACED)) continue;
    EXPECT_GT(seen[phase], 20) << v1::Phase_Name(phase);
  }
}

HarnessOptions Options(v1::PlacementSpec::Source source, v1::LaunchSpec::Kind launch, bool waived, bool owned) {
  HarnessOptions options{.members = kMembers, .source = source, .launch = launch, .waived = waived, .owned = owned};
  options.limits.mutable_deadline()->set_seconds(7200);
  return options;
}

INSTANTIATE_TEST_SUITE_P(
    Sources, Walk,
    testing::Values(Row{"MusterExternal", Options(v1::PlacementSpec::MUSTER, v1::LaunchSpec::EXTERNAL, false, false)},
                    Row{"MusterAgent", Options(v1::PlacementSpec::MUSTER, v1::LaunchSpec::AGENT, false, false)},
                    Row{"MusterWaived", Options(v1::PlacementSpec::MUSTER, v1::LaunchSpec::EXTERNAL, true, true)},
                    Row{"Kueue", Options(v1::PlacementSpec::KUEUE, v1::LaunchSpec::EXTERNAL, false, true)},
                    Row{"Bound", Options(v1::PlacementSpec::BOUND, v1::LaunchSpec::EXTERNAL, false, true)}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace muster::gang
