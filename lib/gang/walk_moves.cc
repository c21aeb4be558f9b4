// What can happen in the world, at random.

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "lib/gang/walk_world.h"

namespace muster::gang {
namespace {

using Outcome = TestConcluded::Outcome;

}  // namespace

std::vector<int> World::FreeNodes() {
  std::vector<int> free;
  for (int node = 0; node < kWorldNodes; ++node) {
    if (IsFree(node)) free.push_back(node);
  }
  std::shuffle(free.begin(), free.end(), random_);
  return free;
}

PlacementPtr World::Choose() {
  std::vector<int> nodes = FreeNodes();
  if (nodes.size() < kWorldMembers) return nullptr;
  nodes.resize(kWorldMembers);
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
  if (repairing != nullptr && repairing->not_before > h.now && Roll(3) == 0) {
    h.now = repairing->not_before;
    return Do(TimePassed{});
  }
  if (repairing == nullptr || !WantsReplacement(h.gang)) return;
  std::vector<int> free = FreeNodes(), nodes, indexes;
  for (int rank = 0; rank < kWorldMembers; ++rank) {
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
                   .accused = {Uid(Roll(kWorldNodes))},
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
  int index = Roll(kWorldMembers);
  for (int other = 0; other < kWorldMembers; ++other) {
    const bool missing =
        std::none_of(clients_.begin(), clients_.end(), [other](const Client& client) { return client.index == other; });
    if (missing) index = other;
  }
  int node = Roll(kWorldNodes);
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
  if (agents ? Roll(100) == 0 : clients_.size() < kWorldMembers || Roll(60) == 0) NewClient();
  if (clients_.empty()) return;
  Client& client = clients_[Roll(static_cast<int>(clients_.size()))];
  if (client.epoch.value() > 0) {
    const Watch watch =
        WatchFor(h.gang, {PodIndex(client.index), client.incarnation, std::nullopt, Name(client.node)}, client.epoch);
    if (watch.order != Watch::Order::kContinue) return Leave(client, 143, true);
    Do(MemberWatches{PodIndex(client.index), client.incarnation, std::nullopt, client.epoch});
    const int roll = Roll(40);
    if (roll < 2) return Leave(client, roll, false);
    if (roll == 2) return Do(LeaseLost{PodIndex(client.index)});
    if (roll == 3) return Do(LeaseRenewed{PodIndex(client.index), client.incarnation});
    return;
  }
  if (Roll(25) == 0) return Do(MemberHungUp{PodIndex(client.index), client.incarnation, std::nullopt});
  if (Roll(25) == 0) return LateCall();
  Do(MemberCalled{.index = PodIndex(client.index),
                  .incarnation = client.incarnation,
                  .local_rank = std::nullopt,
                  .node = Name(client.node),
                  .address = "10.0.0.1",
                  .last_epoch = client.last_epoch});
  for (Client& waiting : clients_) {
    if (!waiting.alive || waiting.epoch.value() > 0) continue;
    const Answer answer = h.Ask(waiting.index, waiting.incarnation, waiting.node);
    if (answer.outcome == v1::READY && Roll(4) != 0) {
      waiting.epoch = waiting.last_epoch = h.gang.epoch;
      Do(MemberWatches{PodIndex(waiting.index), waiting.incarnation, std::nullopt, waiting.epoch});
    }
    if (answer.outcome != v1::READY && answer.outcome != v1::OUTCOME_NOT_READY && !waiting.by_agent)
      waiting.alive = false;
  }
}

// A call that was long on its way; its caller no longer waits for the answer.
void World::LateCall() {
  if (called_.empty()) return;
  const MemberCalled call = called_[Roll(static_cast<int>(called_.size()))];
  Do(call);
  const bool calls_still = std::any_of(clients_.begin(), clients_.end(), [&call](const Client& client) {
    return client.alive && client.epoch.value() == 0 && PodIndex(client.index) == call.index &&
           client.incarnation == call.incarnation;
  });
  if (!calls_still) Do(MemberHungUp{call.index, call.incarnation, std::nullopt});
}

void World::NodeHappens() {
  const int node = Roll(kWorldNodes);
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
  const int index = std::vector<int>{-1, kWorldMembers, 1 << 30}[Roll(3)];
  switch (Roll(13)) {
    case 12:
      if (options_.launch != v1::LaunchSpec::AGENT) return;
      return Do(MemberCalled{
          .index = PodIndex(Roll(kWorldMembers)), .incarnation = InPod(Roll(3), Roll(9), "stranger"), .node = "n0"});
    case 0:
      return Do(MemberCalled{.index = PodIndex(index), .incarnation = OnHost(1), .node = "n0"});
    case 1:
      return Do(
          CommandEnded{PodIndex(Roll(kWorldMembers)), OnHost(Roll(50)), std::nullopt, Epoch(Roll(9) - 4), 1, false});
    case 2:
      return Do(
          EndConfirmed{.node = Uid(Roll(kWorldNodes)), .number = OrderNumber(h.gang.order.value() + 1 + Roll(9))});
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
      return Do(StartRefused{Uid(Roll(kWorldNodes)), OrderNumber(Roll(3)), ""});
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
  if (Roll(3) == 0) return Do(Preempted{"by another"});
  if (Roll(8) == 0) Do(CancelRequested{"enough"});
}

// kill -9: what was not recorded, nobody was told of.
void World::Restart() {
  h.Restart();
  called_.clear();  // with the connections
  greatest_.clear();
  for (const auto& [index, member] : h.gang.members) greatest_[index] = *member.incarnation;
  absl::StrAppend(&trace_, "restart ");
}

}  // namespace muster::gang
