#include "client/cli/describe.h"

#include "client/cli/exit_code.h"
#include "client/cli/job_view.h"
#include "client/cli/names.h"
#include "client/cli/node_view.h"
#include "client/cli/receipt_view.h"
#include "lib/job/validate.h"

namespace muster::cli {
namespace {

Look LookOf(const Context& context) { return {context.now(), context.zone, context.wide()}; }

class DescribeJob final : public Command {
 public:
  void Declare(FlagSet& flags) override {
    flags.Arguments(&names_, "NAME", 1, 1);
    flags.Text(&namespace_, "namespace,n", "NAME", "the job's, unless NAME says it; default \"default\"");
  }
  absl::StatusOr<int> Run(Context& context) override {
    v1::GetJobRequest request;
    const absl::StatusOr<v1::JobRef> ref = ParseJobName(names_[0], namespace_);
    if (!ref.ok()) return ref.status();
    *request.mutable_job() = *ref;
    const absl::StatusOr<v1::Job> job = context.coordinator().GetJob(request);
    if (!job.ok()) return WithWayOut(job.status(), "jobs there are: muster get jobs --all");
    if (ForPrograms(context.format)) {
      PrintDocument(context.out, context.format, *job);
    } else if (context.format == Format::kName) {
      context.out.Line(JobName(*job));
    } else {
      // A mesh that this program can't make (a newer server's) leaves out the coordinates.
      const auto mesh = MeshOf(job->spec());
      PrintJob(context.out, LookOf(context), *job, mesh.ok() ? mesh->get() : nullptr);
    }
    return kExitOk;
  }

 private:
  std::vector<std::string> names_;
  std::string namespace_;
};

class DescribeNode final : public Command {
 public:
  void Declare(FlagSet& flags) override { flags.Arguments(&names_, "NAME", 1, 1); }
  absl::StatusOr<int> Run(Context& context) override {
    v1::GetNodeRequest request;
    request.set_name(names_[0]);
    const absl::StatusOr<v1::Node> node = context.coordinator().GetNode(request);
    if (!node.ok()) return WithWayOut(node.status(), "nodes there are: muster get nodes");
    if (ForPrograms(context.format)) {
      PrintDocument(context.out, context.format, *node);
    } else if (context.format == Format::kName) {
      context.out.Line(node->info().name());
    } else {
      PrintNode(context.out, LookOf(context), *node);
    }
    return kExitOk;
  }

 private:
  std::vector<std::string> names_;
};

class DescribeReceipt final : public Command {
 public:
  void Declare(FlagSet& flags) override { flags.Arguments(&ids_, "ID", 1, 1); }
  absl::StatusOr<int> Run(Context& context) override {
    v1::GetReceiptRequest request;
    request.set_id(ids_[0]);
    const absl::StatusOr<v1::Receipt> receipt = context.coordinator().GetReceipt(request);
    if (!receipt.ok()) return WithWayOut(receipt.status(), "receipts there are: muster get receipts");
    if (ForPrograms(context.format)) {
      PrintDocument(context.out, context.format, *receipt);
    } else if (context.format == Format::kName) {
      context.out.Line(receipt->id());
    } else {
      PrintReceipt(context.out, LookOf(context), *receipt);
    }
    return kExitOk;
  }

 private:
  std::vector<std::string> ids_;
};

}  // namespace

void AddDescribeCommands(std::vector<CommandInfo>& commands) {
  commands.push_back({"describe", "job", "one job: where its members are, what crosses, what comes next",
                      "muster describe job team-a/llama", Make<DescribeJob>});
  commands.push_back({"describe", "node", "one node: its place, its devices, its condition",
                      "muster describe node gpu-a01", Make<DescribeNode>});
  commands.push_back({"describe", "receipt", "one self-test: verdict, bandwidths, who is accused on what evidence",
                      "muster describe receipt rcp-7f3a", Make<DescribeReceipt>});
}

}  // namespace muster::cli
