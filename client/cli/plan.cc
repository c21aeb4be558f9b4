#include "client/cli/plan.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "client/cli/exit_code.h"
#include "client/cli/explanation_view.h"
#include "client/cli/format.h"
#include "client/cli/job_source.h"
#include "client/cli/mesh_text.h"
#include "client/cli/nodes_source.h"
#include "client/cli/placement_view.h"
#include "client/cli/plan_offline.h"
#include "lib/base/proto_time.h"
#include "lib/job/validate.h"

namespace muster::cli {
namespace {

class PlanCommand final : public Command {
 public:
  void Declare(FlagSet& flags) override {
    source_.Declare(flags);
    nodes_.Declare(flags);
  }

  absl::StatusOr<int> Run(Context& context) override {
    if (source_.file == "-" && nodes_.file == "-") {
      return UsageError("--file and --nodes can't both be standard input");
    }
    if (absl::Status status = nodes_.Check(); !status.ok()) return status;
    const absl::StatusOr<JobFile> job = source_.Read(context.in);
    if (!job.ok()) return job.status();
    const absl::StatusOr<v1::PlanResponse> plan =
        nodes_.given() ? PlanOffline(context, *job, nodes_) : PlanLive(context, *job, nodes_);
    if (!plan.ok()) return plan.status();
    if (ForPrograms(context.format)) {
      PrintDocument(context.out, context.format, *plan);
    } else {
      Print(context, *job, *plan);
    }
    return plan->explanation().feasibility() == v1::OK ? kExitOk : kExitNo;
  }

 private:
  static void Print(Context& context, const JobFile& job, const v1::PlanResponse& plan) {
    const v1::JobSpec& spec = job.spec;
    const int32_t workers = std::max(1, spec.workers_per_member());
    const auto mesh_of = MeshOf(spec);
    const mesh::Mesh* mesh = mesh_of.ok() ? mesh_of->get() : nullptr;
    const std::string mesh_text = MeshText(spec, mesh);
    context.out.Line(
        {"job ", Span(absl::StrCat(job.ns, "/", job.name), Style::kBold),
         absl::StrCat("   ", Count(int64_t{spec.members()} * workers, "worker"), ", ", Count(spec.members(), "member"),
                      " × ", workers, mesh_text.empty() ? "" : "   ", mesh_text)});
    const v1::Placement& placement = plan.explanation().placement();
    if (placement.ranks_size() == 0) {
      PrintExplanation(context.out, plan.explanation());
    } else {
      // Its details are what the tables say.
      context.out.Line(plan.explanation().summary());
      context.out.Blank();
      PrintPlacement(context.out,
                     {.placement = placement, .workers_per_member = workers, .mesh = mesh, .wide = context.wide()});
    }
    if (placement.crossings_size() > 0) {
      context.out.Blank();
      PrintCrossings(context.out, placement);
      context.out.Blank();
      context.out.Line(CostText(placement));
    }
    if (placement.ranks_size() > 0) PrintGains(context.out, plan.explanation());
    // Under a second it says nothing.
    if (plan.has_self_test_estimate() && FromProto(plan.self_test_estimate()) >= absl::Seconds(1)) {
      context.out.Line(absl::StrCat("self-test about ", DurationText(FromProto(plan.self_test_estimate()))));
    }
    for (const std::string& note : plan.notes()) context.out.Line({Span("note: ", Style::kDim), note});
  }

  JobSource source_;
  NodesSource nodes_;
};

}  // namespace

void AddPlanCommand(std::vector<CommandInfo>& commands) {
  commands.push_back(
      {"plan", "", "where a job would go and what would cross, without submitting it",
       "muster plan -f job.yaml\n"
       "muster plan -f job.yaml --nodes nodes.json   # without a coordinator: kubectl get nodes -o json\n"
       "muster plan -f job.yaml --what-if drain=gpu-[01-04] --what-if end=team-a/small",
       Make<PlanCommand>});
}

}  // namespace muster::cli
