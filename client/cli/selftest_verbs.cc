#include "client/cli/selftest_verbs.h"

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/exit_code.h"
#include "client/cli/format.h"
#include "client/cli/job_view.h"
#include "client/cli/names.h"
#include "client/cli/receipt_view.h"
#include "client/cli/siblings.h"

namespace muster::cli {
namespace {

constexpr char kNodesWayOut[] = "nodes there are: muster get nodes";
constexpr size_t kSiblings = 3;

// What all self-tests on demand can be told, and how they are followed to their receipt.
class SelfTestCommand : public Command {
 protected:
  void DeclareTest(FlagSet& flags) {
    flags.Text(&profile_, "profile", "NAME", "quick (default), standard or soak");
    flags.Text(&backend_, "backend", "NAME", "gloo, nccl or simulated; default: the best that all nodes have");
  }

  // Puts what was given into `test`.
  absl::Status Fill(v1::SelfTestSpec& test) const {
    if (profile_ == "quick") test.set_profile(v1::SelfTestSpec::QUICK);
    if (profile_ == "standard") test.set_profile(v1::SelfTestSpec::STANDARD);
    if (profile_ == "soak") test.set_profile(v1::SelfTestSpec::SOAK);
    if (!profile_.empty() && profile_ != "quick" && profile_ != "standard" && profile_ != "soak") {
      return UsageError(absl::StrCat("--profile ", profile_, ": unknown profile"), "profiles: quick, standard, soak");
    }
    if (!backend_.empty()) test.set_backend(backend_);
    return absl::OkStatus();
  }

  absl::StatusOr<int> StartAndFollow(Context& context, const v1::StartSelfTestRequest& request,
                                     const std::string& what) {
    const absl::StatusOr<v1::StartSelfTestResponse> started = context.coordinator().StartSelfTest(request);
    if (!started.ok()) {
      return absl::IsNotFound(started.status()) ? WithWayOut(started.status(), kNodesWayOut) : started.status();
    }
    return Follow(context, started->job(), what);
  }

  static absl::StatusOr<int> Follow(Context& context, const v1::Job& job, const std::string& what) {
    if (!ForPrograms(context.format) && context.format != Format::kName) {
      context.out.Line(absl::StrCat("testing ", what, " as job ", JobName(job)));
    }
    v1::WatchSelfTestRequest request;
    request.mutable_job()->set_uid(job.uid());
    v1::SelfTestProgress last;
    std::string said;
    const absl::Status status =
        context.coordinator().WatchSelfTest(request, context.until(), [&](const v1::SelfTestProgress& progress) {
          const bool tests = progress.has_progress() && progress.progress().groups_total() > 0;
          const std::string phase = PhaseWord(progress.phase());
          if (phase != said && !ForPrograms(context.format)) {
            context.err.Line(absl::StrCat("muster: ", phase));
            said = phase;
          }
          if (tests) context.err.Progress(absl::StrCat(phase, ": ", TestProgressText(progress.progress())));
          last = progress;
        });
    context.err.EndProgress();
    if (!status.ok()) return status;
    if (last.receipt_id().empty()) {
      context.out.Line(absl::StrCat("no receipt", last.summary().empty() ? "" : ": ", last.summary()));
      context.out.Line({Span("next: ", Style::kDim), absl::StrCat("muster describe job ", JobName(job))});
      return kExitNo;
    }
    return Show(context, last.receipt_id());
  }

  std::string profile_, backend_;

 private:
  static absl::StatusOr<int> Show(Context& context, const std::string& id) {
    v1::GetReceiptRequest get;
    get.set_id(id);
    const absl::StatusOr<v1::Receipt> receipt = context.coordinator().GetReceipt(get);
    if (!receipt.ok()) return receipt.status();
    if (ForPrograms(context.format)) {
      PrintDocument(context.out, context.format, *receipt);
    } else if (context.format == Format::kName) {
      context.out.Line(receipt->id());
    } else {
      PrintReceipt(context.out, Look{context.now(), context.zone, context.wide()}, *receipt);
    }
    return receipt->verdict() == v1::PASS || receipt->verdict() == v1::WARN ? kExitOk : kExitNo;
  }
};

class TestNodes final : public SelfTestCommand {
 public:
  void Declare(FlagSet& flags) override {
    flags.Arguments(&names_, "NODE", 1, 20000);
    DeclareTest(flags);
    flags.Integer(&siblings_, "siblings", "N", 0, 16,
                  "free healthy nodes to test beside them; default: 3 for a single node, else 0");
    flags.Integer(&workers_, "workers", "N", 1, 1024, "workers a node; default: the least number of accelerators");
  }

  absl::StatusOr<int> Run(Context& context) override {
    std::set<std::string> named;
    for (const std::string& name : names_) {
      if (!named.insert(name).second) return UsageError(absl::StrCat("node ", name, " is given twice"));
    }
    v1::StartSelfTestRequest request;
    *request.mutable_nodes() = {names_.begin(), names_.end()};
    if (absl::Status s = Fill(*request.mutable_self_test()); !s.ok()) return s;
    request.set_workers_per_member(static_cast<int32_t>(workers_.value_or(0)));
    std::string what = absl::StrCat(names_.size(), " nodes");
    if (const int64_t wanted = siblings_.value_or(names_.size() == 1 ? int64_t{kSiblings} : 0); wanted > 0) {
      const absl::StatusOr<std::vector<std::string>> siblings = Siblings(context, named, wanted);
      if (!siblings.ok()) return siblings.status();
      for (const std::string& sibling : *siblings) request.add_nodes(sibling);
      what = absl::StrCat(names_.size() == 1 ? names_[0] : what, " beside ", absl::StrJoin(*siblings, ", "));
    }
    return StartAndFollow(context, request, what);
  }

 private:
  // At least one.
  absl::StatusOr<std::vector<std::string>> Siblings(Context& context, const std::set<std::string>& named,
                                                    int64_t wanted) const {
    v1::GetNodeRequest get;
    get.set_name(names_[0]);
    const absl::StatusOr<v1::Node> node = context.coordinator().GetNode(get);
    if (!node.ok()) return absl::IsNotFound(node.status()) ? WithWayOut(node.status(), kNodesWayOut) : node.status();
    std::vector<v1::Node> others;
    v1::ListNodesRequest list;
    list.set_page_size(1000);
    do {
      absl::StatusOr<v1::ListNodesResponse> page = context.coordinator().ListNodes(list);
      if (!page.ok()) return page.status();
      for (v1::Node& other : *page->mutable_nodes()) {
        if (named.count(other.info().name()) == 0) others.push_back(std::move(other));
      }
      list.set_page_token(page->next_page_token());
    } while (!list.page_token().empty());
    std::vector<std::string> siblings = SiblingsOf(*node, others, backend_, static_cast<int>(wanted));
    if (siblings.empty()) {
      return WithWayOut(absl::FailedPreconditionError(absl::StrCat("there is nothing to compare ", names_[0],
                                                                   " with: no free and healthy node is like it")),
                        "wait for one, see \"muster get nodes\"");
    }
    if (names_.size() == 1 && siblings.size() < kSiblings && !ForPrograms(context.format)) {
      context.err.Line(absl::StrCat("muster: only ", Count(static_cast<int64_t>(siblings.size()), "sibling"),
                                    " free; three are needed to tell a slow node from its partner"));
    }
    return siblings;
  }

  std::vector<std::string> names_;
  absl::optional<int64_t> siblings_, workers_;
};

class TestJob final : public SelfTestCommand {
 public:
  void Declare(FlagSet& flags) override {
    flags.Arguments(&names_, "NAME", 1, 1);
    flags.Text(&namespace_, "namespace,n", "NAME", "the job's, unless NAME says it; default \"default\"");
    DeclareTest(flags);
  }

  absl::StatusOr<int> Run(Context& context) override {
    const absl::StatusOr<v1::JobRef> ref = ParseJobName(names_[0], namespace_);
    if (!ref.ok()) return ref.status();
    v1::GetJobRequest get;
    *get.mutable_job() = *ref;
    const absl::StatusOr<v1::Job> job = context.coordinator().GetJob(get);
    if (!job.ok()) return WithWayOut(job.status(), "jobs there are: muster get jobs --all");
    const absl::StatusOr<std::set<std::string>> nodes = NodesOf(context, *job);
    if (!nodes.ok()) return nodes.status();
    v1::SubmitRequest submit;
    submit.set_namespace_(job->namespace_());
    submit.set_name(absl::StrCat("selftest-", context.fresh_id().substr(0, 16)));
    submit.set_request_id(context.fresh_id());
    v1::JobSpec& spec = *submit.mutable_spec();
    spec = job->spec();
    spec.clear_launch();
    spec.mutable_launch()->set_kind(v1::LaunchSpec::TEST_ONLY);
    v1::PlacementSpec& placement = *spec.mutable_placement();
    placement.set_source(v1::PlacementSpec::MUSTER);
    placement.set_spares(0);
    placement.clear_nodes();
    for (const std::string& node : *nodes) placement.add_nodes(node);
    // To test is what is asked for, whatever the job was allowed to leave out.
    spec.mutable_self_test()->clear_max_age();
    if (spec.self_test().profile() == v1::SelfTestSpec::NONE)
      spec.mutable_self_test()->set_profile(v1::SelfTestSpec::QUICK);
    if (absl::Status s = Fill(*spec.mutable_self_test()); !s.ok()) return s;
    const absl::StatusOr<v1::SubmitResponse> submitted = context.coordinator().Submit(submit);
    if (!submitted.ok()) return submitted.status();
    return Follow(context, submitted->job(),
                  absl::StrCat("the ", nodes->size(), " nodes of ", JobName(*job), " in its own shape"));
  }

 private:
  // Where it was placed last, as long as it isn't there.
  absl::StatusOr<std::set<std::string>> NodesOf(Context& context, const v1::Job& job) const {
    if (job.phase() != v1::FINISHED && job.has_placement()) {
      return WithWayOut(
          absl::FailedPreconditionError(absl::StrCat("job ", JobName(job), " is ", StateWord(job),
                                                     " on its nodes: a test beside it would disturb both")),
          absl::StrCat("test free nodes, or end it with \"muster cancel job ", TypedName(job.namespace_(), job.name()),
                       "\" first"));
    }
    v1::Placement placement = job.placement();
    if (placement.ranks().empty() && !job.receipt_id().empty()) {
      v1::GetReceiptRequest get;
      get.set_id(job.receipt_id());
      absl::StatusOr<v1::Receipt> receipt = context.coordinator().GetReceipt(get);
      if (!receipt.ok()) return receipt.status();
      placement = receipt->placement();
    }
    std::set<std::string> nodes;
    for (const v1::PlacedNode& rank : placement.ranks()) nodes.insert(rank.node());
    if (nodes.empty()) {
      return WithWayOut(absl::FailedPreconditionError(
                            absl::StrCat("job ", JobName(job), " has never been placed: it has no nodes to test")),
                        "name nodes: muster selftest nodes NODE NODE…");
    }
    return nodes;
  }

  std::vector<std::string> names_;
  std::string namespace_;
};

}  // namespace

void AddSelfTestVerbs(std::vector<CommandInfo>& commands) {
  commands.push_back({"selftest", "nodes",
                      "test free nodes; one alone beside siblings, and if it was quarantined, passing readmits it",
                      "muster selftest node gpu-c07\n"
                      "muster selftest nodes gpu-a01 gpu-a02 --profile quick",
                      Make<TestNodes>});
  commands.push_back({"selftest", "job", "test the nodes that a job was on, in the job's own shape",
                      "muster selftest job team-a/llama --profile standard", Make<TestJob>});
}

}  // namespace muster::cli
