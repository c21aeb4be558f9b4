#include "client/agent/run_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/types/optional.h"
#include "lib/base/proto_time.h"
#include "lib/selftest/group_ranks.h"

namespace muster::agent {
namespace {

constexpr absl::Duration kFarewell = absl::Seconds(10);
constexpr size_t kMaxErrorChars = 1024;

class Walk {
 public:
  Walk(const ChildOrder& order, Backend& backend, KeyValueClient& exchange, absl::Time deadline)
      : order_(order),
        rank_(order.worker().global_rank()),
        backend_(backend),
        exchange_(exchange),
        start_(absl::Now()),
        deadline_(deadline) {}

  // nullopt: the worker is in no group of the step.
  absl::optional<v1::StepResult> Run(const v1::TestStep& step) {
    v1::StepResult result;
    result.set_step(step.index());
    result.set_global_rank(rank_);
    for (const v1::TestGroup& group : step.groups()) {
      const auto members = selftest::MembersOf(group.ranks());
      if (!members.ok()) continue;  // of no worker of ours, or of nobody
      const auto at = std::find(members->begin(), members->end(), rank_);
      if (at == members->end()) continue;
      result.set_group_index(group.index());
      RunIn(GroupSpec{step.family(), group.index(), *members, at - members->begin()}, step, result);
      return result;
    }
    return absl::nullopt;
  }

  void PartTogether() {
    const absl::Time until = std::min(deadline_, absl::Now() + kFarewell);
    const auto key = [](int64_t rank) { return absl::StrCat("done/", rank); };
    if (!exchange_.Set({{key(rank_), ""}}).ok()) return;
    std::vector<std::string> keys;
    for (int64_t rank : peers_) keys.push_back(key(rank));
    exchange_.Wait(keys, until - absl::Now()).IgnoreError();
  }

 private:
  struct Opened {
    std::unique_ptr<OpenGroup> group;
    // Why it can't be used any more; empty while it can.
    std::string broken;
  };

  void RunIn(const GroupSpec& spec, const v1::TestStep& step, v1::StepResult& result) {
    const absl::Time until = std::min(deadline_, start_ + FromProto(step.deadline()));
    auto payload =
        selftest::Payload::Create(step.collective(), step.bytes(), spec.members, spec.position, order_.plan().seed());
    if (!payload.ok()) return Fail(payload.status(), result);
    Opened& opened = Open(spec, until, result);
    if (!opened.broken.empty()) return SetError(opened.broken, result);
    const auto measured = opened.group->Run(step, *payload, until);
    if (!measured.ok()) {
      opened.broken = absl::StrCat("not run: the group broke in step ", step.index());
      opened.group->Abort();
      return Fail(measured.status(), result);
    }
    for (double us : measured->iteration_us) result.add_iteration_us(us);
    result.set_wrong_elements(measured->data.wrong);
    if (measured->data.wrong > 0) *result.mutable_first_wrong() = measured->data.first;
  }

  Opened& Open(const GroupSpec& spec, absl::Time until, v1::StepResult& result) {
    const auto [at, fresh] = open_.try_emplace(spec.Name());
    Opened& opened = at->second;
    if (!fresh) return opened;
    const absl::Time start = absl::Now();
    auto group = backend_.Open(spec, exchange_, until);
    result.set_init_us(absl::ToDoubleMicroseconds(absl::Now() - start));
    if (group.ok()) {
      opened.group = *std::move(group);
      peers_.insert(spec.members.begin(), spec.members.end());
    } else {
      opened.broken = std::string(group.status().message());
    }
    return opened;
  }

  static void Fail(const absl::Status& status, v1::StepResult& result) {
    SetError(std::string(status.message()), result);
  }

  static void SetError(const std::string& text, v1::StepResult& result) {
    result.set_error(text.empty() ? "failed without a word" : text.substr(0, kMaxErrorChars));
  }

  const ChildOrder& order_;
  const int64_t rank_;
  Backend& backend_;
  KeyValueClient& exchange_;
  const absl::Time start_, deadline_;
  std::map<std::string, Opened> open_;
  std::set<int64_t> peers_;
};

}  // namespace

void RunPlan(const ChildOrder& order, Backend& backend, KeyValueClient& exchange, absl::Time deadline,
             const std::function<void(const v1::StepResult&)>& done) {
  Walk walk(order, backend, exchange, deadline);
  for (const v1::TestStep& step : order.plan().steps()) {
    if (const auto result = walk.Run(step)) done(*result);
  }
  walk.PartTogether();
}

}  // namespace muster::agent
