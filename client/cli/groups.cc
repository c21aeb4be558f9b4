#include "client/cli/groups.h"

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "client/cli/exit_code.h"
#include "client/cli/format.h"
#include "client/cli/group_table.h"
#include "client/cli/job_source.h"
#include "client/cli/names.h"
#include "lib/job/validate.h"

namespace muster::cli {
namespace {

// Ranks that lists of all groups may hold: beyond it, ask for one family or one rank.
constexpr int64_t kMostListed = 4 << 20;

// A job's spec, and its nodes once it is placed.
struct Shape {
  std::string name;
  v1::JobSpec spec;
  v1::Placement placement;
};

class GroupsCommand final : public Command {
 public:
  void Declare(FlagSet& flags) override {
    flags.Text(&job_, "job", "NAME", "of this job; NAMESPACE/NAME or uid");
    flags.Text(&source_.file, "file,f", "FILE", "of this job file, without a coordinator; - is standard input");
    flags.Text(&source_.ns, "namespace,n", "NAME", "the job's, unless --job says it; default \"default\"");
    flags.Integer(&rank_, "rank", "N", 0, INT64_MAX, "only the groups that this global rank is in");
    flags.Text(&family_, "family", "NAME", "only this family, e.g. dp_cp");
    flags.Text(&axis_, "axis", "NAME", "only the groups along this axis, e.g. tp");
  }

  absl::StatusOr<int> Run(Context& context) override {
    if (job_.empty() == source_.file.empty()) {
      return UsageError(job_.empty() ? "muster groups needs a job" : "--job and --file exclude each other",
                        "--job NAME for a job of the coordinator, -f FILE for a job file");
    }
    if (!family_.empty() && !axis_.empty()) return UsageError("--family and --axis exclude each other");
    const absl::StatusOr<Shape> shape = job_.empty() ? FromFile(context) : FromCoordinator(context);
    if (!shape.ok()) return shape.status();
    const absl::StatusOr<std::shared_ptr<const mesh::Mesh>> mesh = MeshOf(shape->spec);
    if (!mesh.ok()) return mesh.status();
    const int64_t world = int64_t{shape->spec.members()} * std::max(1, shape->spec.workers_per_member());
    if (rank_ && *rank_ >= world) {
      return UsageError(absl::StrCat("--rank ", *rank_, ": ", shape->name, " has ranks 0 to ", world - 1));
    }
    if (*mesh == nullptr) {
      context.out.Line(absl::StrCat(shape->name, " has no mesh: ranks ", Interval(0, world - 1), " and no groups"));
      return kExitOk;
    }
    const absl::StatusOr<std::vector<mesh::Family>> families = ChooseFamilies(**mesh, family_, axis_);
    if (!families.ok()) return families.status();
    return rank_ ? OneRank(context, *shape, **mesh, *families) : Everybody(context, **mesh, *families);
  }

 private:
  absl::StatusOr<Shape> FromFile(Context& context) const {
    absl::StatusOr<JobFile> file = source_.Read(context.in);
    if (!file.ok()) return file.status();
    return Shape{absl::StrCat(file->ns, "/", file->name), file->spec, {}};
  }

  absl::StatusOr<Shape> FromCoordinator(Context& context) const {
    const absl::StatusOr<v1::JobRef> ref = ParseJobName(job_, source_.ns);
    if (!ref.ok()) return ref.status();
    v1::GetJobRequest request;
    *request.mutable_job() = *ref;
    const absl::StatusOr<v1::Job> job = context.coordinator().GetJob(request);
    if (!job.ok()) {
      return absl::IsNotFound(job.status()) ? WithWayOut(job.status(), "jobs there are: muster get jobs --all")
                                            : job.status();
    }
    return Shape{JobName(*job), job->spec(), job->placement()};
  }

  int OneRank(Context& context, const Shape& shape, const mesh::Mesh& mesh,
              const std::vector<mesh::Family>& families) const {
    if (ForPrograms(context.format)) {
      PrintJson(context.out, context.format, GroupsOfJson(mesh, families, *rank_));
      return kExitOk;
    }
    const int64_t workers = std::max(1, shape.spec.workers_per_member());
    const int64_t node_rank = *rank_ / workers;
    const bool placed = node_rank < shape.placement.ranks_size();
    const std::string node =
        placed ? absl::StrCat(", on ", shape.placement.ranks(static_cast<int>(node_rank)).node()) : "";
    context.out.Line({Span(absl::StrCat("rank ", *rank_), Style::kBold),
                      absl::StrCat(" of ", Thousands(mesh.world()), "   node rank ", node_rank, ", local rank ",
                                   *rank_ % workers, node, "   ", CoordinatesText(mesh, *rank_))});
    context.out.Blank();
    PrintGroupsOf(context.out, families, *rank_);
    return kExitOk;
  }

  absl::StatusOr<int> Everybody(Context& context, const mesh::Mesh& mesh,
                                const std::vector<mesh::Family>& families) const {
    const bool all = context.wide() || ForPrograms(context.format);
    if (all && static_cast<int64_t>(families.size()) > kMostListed / mesh.world()) {
      return UsageError(
          absl::StrCat(families.size(), " families of ", Thousands(mesh.world()), " workers are too much to list"),
          "choose --family NAME, --axis NAME or --rank N");
    }
    if (ForPrograms(context.format)) {
      PrintJson(context.out, context.format, AllGroupsJson(mesh, families));
    } else {
      PrintAllGroups(context.out, families, all);
    }
    return kExitOk;
  }

  JobSource source_;
  std::string job_, family_, axis_;
  absl::optional<int64_t> rank_;
};

}  // namespace

void AddGroupsCommand(std::vector<CommandInfo>& commands) {
  commands.push_back({"groups", "", "who is with whom, by family, axis or rank",
                      "muster groups --job llama --rank 3\nmuster groups -f job.yaml --axis tp -o wide",
                      Make<GroupsCommand>});
}

}  // namespace muster::cli
