#include "client/cli/receipt_verbs.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "client/cli/exit_code.h"
#include "client/cli/job_view.h"
#include "client/cli/names.h"
#include "client/cli/receipt_view.h"

namespace muster::cli {
namespace {

constexpr char kReceiptsWayOut[] = "receipts there are: muster get receipts";

class CompareCommand final : public Command {
 public:
  void Declare(FlagSet& flags) override { flags.Arguments(&ids_, "ID", 2, 2); }
  absl::StatusOr<int> Run(Context& context) override {
    v1::CompareReceiptsRequest request;
    request.set_left(ids_[0]);
    request.set_right(ids_[1]);
    const absl::StatusOr<v1::CompareReceiptsResponse> answer = context.coordinator().Compare(request);
    if (!answer.ok())
      return absl::IsNotFound(answer.status()) ? WithWayOut(answer.status(), kReceiptsWayOut) : answer.status();
    if (ForPrograms(context.format)) {
      PrintDocument(context.out, context.format, *answer);
    } else {
      PrintComparison(context.out, *answer, context.wide());
    }
    return kExitOk;
  }

 private:
  std::vector<std::string> ids_;
};

class AnnotateCommand final : public Command {
 public:
  void Declare(FlagSet& flags) override { flags.Arguments(&words_, "ID KEY=VALUE", 2, 65); }
  absl::StatusOr<int> Run(Context& context) override {
    v1::AnnotateReceiptRequest request;
    request.set_id(words_[0]);
    for (size_t i = 1; i < words_.size(); ++i) {
      const size_t equals = words_[i].find('=');
      if (equals == std::string::npos || equals == 0) {
        return UsageError(absl::StrCat("\"", words_[i], "\": not KEY=VALUE"),
                          "e.g. tokens_per_second=41000; an empty value removes the key");
      }
      const std::string key = words_[i].substr(0, equals);
      if (request.annotations().contains(key)) return UsageError(absl::StrCat("key \"", key, "\" is given twice"));
      (*request.mutable_annotations())[key] = words_[i].substr(equals + 1);
    }
    const absl::StatusOr<v1::Receipt> receipt = context.coordinator().Annotate(request);
    if (!receipt.ok()) {
      return absl::IsNotFound(receipt.status()) ? WithWayOut(receipt.status(), kReceiptsWayOut) : receipt.status();
    }
    if (ForPrograms(context.format)) {
      PrintDocument(context.out, context.format, *receipt);
    } else {
      const size_t count = receipt->annotations().size();
      context.out.Line(absl::StrCat(receipt->id(), " annotated: ", count, count == 1 ? " entry" : " entries"));
    }
    return kExitOk;
  }

 private:
  std::vector<std::string> words_;
};

class SelfTestCommand final : public Command {
 public:
  void Declare(FlagSet& flags) override {
    flags.Arguments(&nodes_, "NODE", 2, 20000);
    flags.Text(&profile_, "profile", "NAME", "quick (default), standard or soak");
    flags.Text(&backend_, "backend", "NAME", "gloo, nccl or simulated; default: the best that all nodes have");
    flags.Integer(&workers_, "workers", "N", 1, 1024, "workers a node; default: the least number of accelerators");
  }

  absl::StatusOr<int> Run(Context& context) override {
    absl::StatusOr<v1::StartSelfTestRequest> request = Request();
    if (!request.ok()) return request.status();
    const absl::StatusOr<v1::StartSelfTestResponse> started = context.coordinator().StartSelfTest(*request);
    if (!started.ok()) {
      return absl::IsNotFound(started.status()) ? WithWayOut(started.status(), "nodes there are: muster get nodes")
                                                : started.status();
    }
    const v1::Job& job = started->job();
    if (!ForPrograms(context.format) && context.format != Format::kName) {
      context.out.Line(absl::StrCat("testing ", nodes_.size(), " nodes as job ", JobName(job)));
    }
    return Follow(context, job);
  }

 private:
  absl::StatusOr<v1::StartSelfTestRequest> Request() const {
    v1::StartSelfTestRequest request;
    std::set<std::string> seen;
    for (const std::string& node : nodes_) {
      if (!seen.insert(node).second) return UsageError(absl::StrCat("node ", node, " is given twice"));
      request.add_nodes(node);
    }
    if (profile_ == "quick") request.mutable_self_test()->set_profile(v1::SelfTestSpec::QUICK);
    if (profile_ == "standard") request.mutable_self_test()->set_profile(v1::SelfTestSpec::STANDARD);
    if (profile_ == "soak") request.mutable_self_test()->set_profile(v1::SelfTestSpec::SOAK);
    if (!profile_.empty() && request.self_test().profile() == v1::SelfTestSpec::PROFILE_UNSPECIFIED) {
      return UsageError(absl::StrCat("--profile ", profile_, ": unknown profile"), "profiles: quick, standard, soak");
    }
    if (!backend_.empty()) request.mutable_self_test()->set_backend(backend_);
    request.set_workers_per_member(static_cast<int32_t>(workers_.value_or(0)));
    return request;
  }

  static absl::StatusOr<int> Follow(Context& context, const v1::Job& job) {
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
    v1::GetReceiptRequest get;
    get.set_id(last.receipt_id());
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

  std::vector<std::string> nodes_;
  std::string profile_, backend_;
  absl::optional<int64_t> workers_;
};

}  // namespace

void AddReceiptVerbs(std::vector<CommandInfo>& commands) {
  commands.push_back({"selftest", "nodes",
                      "test free nodes without starting anything on them; the exit code is the verdict",
                      "muster selftest nodes gpu-a01 gpu-a02 --profile quick", Make<SelfTestCommand>});
  commands.push_back({"compare", "receipts", "what changed from one self-test to another",
                      "muster compare receipts rcp-7f3c rcp-6e10", Make<CompareCommand>});
  commands.push_back({"annotate", "receipt", "add the job's half to a receipt: throughput, loss, versions",
                      "muster annotate receipt rcp-7f3a tokens_per_second=41000", Make<AnnotateCommand>});
}

}  // namespace muster::cli
