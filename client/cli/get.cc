#include "client/cli/get.h"

#include "absl/strings/str_cat.h"
#include "client/cli/exit_code.h"
#include "client/cli/job_view.h"
#include "client/cli/names.h"
#include "client/cli/node_view.h"
#include "client/cli/receipt_view.h"

namespace muster::cli {
namespace {

constexpr int kPage = 1000;

Look LookOf(const Context& context) { return {context.now(), context.zone, context.wide()}; }

// All pages of a list. `ask` sends a request; `take` moves an answer's entries.
template <typename Request, typename Response>
absl::Status AllPages(Request request, const std::function<absl::StatusOr<Response>(const Request&)>& ask,
                      Response* all) {
  request.set_page_size(kPage);
  while (true) {
    absl::StatusOr<Response> page = ask(request);
    if (!page.ok()) return page.status();
    const std::string next = page->next_page_token();
    page->clear_next_page_token();
    all->MergeFrom(*page);
    // A token that stays the same would never end.
    if (next.empty() || next == request.page_token()) return absl::OkStatus();
    request.set_page_token(next);
  }
}

// Prints a list, or the one thing that was named.
template <typename List, typename Entry, typename PrintTable, typename NameOf>
int PrintList(Context& context, const List& list, const google::protobuf::RepeatedPtrField<Entry>& entries, bool one,
              const std::string& none, PrintTable print, NameOf name_of) {
  if (ForPrograms(context.format)) {
    if (one && entries.size() == 1) {
      PrintDocument(context.out, context.format, entries.Get(0));
    } else {
      PrintDocument(context.out, context.format, list);
    }
  } else if (context.format == Format::kName) {
    for (const Entry& entry : entries) context.out.Line(name_of(entry));
  } else if (entries.empty()) {
    context.err.Line(none);
  } else {
    print(context.out, LookOf(context), entries);
  }
  return kExitOk;
}

class GetJobs final : public Command {
 public:
  void Declare(FlagSet& flags) override {
    flags.Arguments(&names_, "NAME", 0, 1000);
    flags.Text(&namespace_, "namespace,n", "NAME", "only this namespace; default: all");
    flags.Switch(&all_, "all,a", "finished ones too");
  }
  absl::StatusOr<int> Run(Context& context) override {
    v1::ListJobsResponse list;
    for (const std::string& name : names_) {
      v1::GetJobRequest request;
      const absl::StatusOr<v1::JobRef> ref = ParseJobName(name, namespace_);
      if (!ref.ok()) return ref.status();
      *request.mutable_job() = *ref;
      absl::StatusOr<v1::Job> job = context.coordinator().GetJob(request);
      if (!job.ok()) return WithWayOut(job.status(), "jobs there are: muster get jobs --all");
      *list.add_jobs() = *std::move(job);
    }
    if (names_.empty()) {
      v1::ListJobsRequest request;
      request.set_namespace_(namespace_);
      request.set_include_finished(all_);
      const absl::Status listed = AllPages<v1::ListJobsRequest, v1::ListJobsResponse>(
          request, [&](const auto& r) { return context.coordinator().ListJobs(r); }, &list);
      if (!listed.ok()) return listed;
    }
    return PrintList(context, list, list.jobs(), names_.size() == 1,
                     all_ ? "no jobs" : "no jobs in progress (finished ones: --all)", PrintJobs, JobName);
  }

 private:
  std::vector<std::string> names_;
  std::string namespace_;
  bool all_ = false;
};

class GetNodes final : public Command {
 public:
  void Declare(FlagSet& flags) override { flags.Arguments(&names_, "NAME", 0, 1000); }
  absl::StatusOr<int> Run(Context& context) override {
    v1::ListNodesResponse list;
    for (const std::string& name : names_) {
      v1::GetNodeRequest request;
      request.set_name(name);
      absl::StatusOr<v1::Node> node = context.coordinator().GetNode(request);
      if (!node.ok()) return WithWayOut(node.status(), "nodes there are: muster get nodes");
      *list.add_nodes() = *std::move(node);
    }
    if (names_.empty()) {
      const absl::Status listed = AllPages<v1::ListNodesRequest, v1::ListNodesResponse>(
          {}, [&](const auto& r) { return context.coordinator().ListNodes(r); }, &list);
      if (!listed.ok()) return listed;
    }
    return PrintList(context, list, list.nodes(), names_.size() == 1,
                     "no nodes: start muster-agent on them, or give musterd an inventory file", PrintNodes,
                     [](const v1::Node& node) { return node.info().name(); });
  }

 private:
  std::vector<std::string> names_;
};

class GetReceipts final : public Command {
 public:
  void Declare(FlagSet& flags) override {
    flags.Arguments(&ids_, "ID", 0, 1000);
    flags.Text(&job_, "job", "NAME", "only this job's");
    flags.Text(&namespace_, "namespace,n", "NAME", "of --job");
  }
  absl::StatusOr<int> Run(Context& context) override {
    v1::ListReceiptsResponse list;
    for (const std::string& id : ids_) {
      v1::GetReceiptRequest request;
      request.set_id(id);
      absl::StatusOr<v1::Receipt> receipt = context.coordinator().GetReceipt(request);
      if (!receipt.ok()) return WithWayOut(receipt.status(), "receipts there are: muster get receipts");
      *list.add_receipts() = *std::move(receipt);
    }
    if (ids_.empty()) {
      v1::ListReceiptsRequest request;
      if (!job_.empty()) {
        const absl::StatusOr<v1::JobRef> ref = ParseJobName(job_, namespace_);
        if (!ref.ok()) return ref.status();
        *request.mutable_job() = *ref;
      }
      const absl::Status listed = AllPages<v1::ListReceiptsRequest, v1::ListReceiptsResponse>(
          request, [&](const auto& r) { return context.coordinator().ListReceipts(r); }, &list);
      if (!listed.ok()) return listed;
    }
    return PrintList(context, list, list.receipts(), ids_.size() == 1, "no receipts yet", PrintReceipts,
                     [](const v1::Receipt& receipt) { return receipt.id(); });
  }

 private:
  std::vector<std::string> ids_;
  std::string job_, namespace_;
};

}  // namespace

void AddGetCommands(std::vector<CommandInfo>& commands) {
  commands.push_back(
      {"get", "jobs", "jobs, oldest first", "muster get jobs\nmuster get jobs --all -n team-a -o wide", Make<GetJobs>});
  commands.push_back({"get", "nodes", "nodes, who has them and how they are", "muster get nodes", Make<GetNodes>});
  commands.push_back({"get", "receipts", "receipts of self-tests, newest first",
                      "muster get receipts --job team-a/llama", Make<GetReceipts>});
}

}  // namespace muster::cli
