#include "client/cli/job_view.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/mesh_text.h"
#include "client/cli/names.h"
#include "client/cli/placement_view.h"
#include "client/cli/table.h"
#include "lib/base/errors.h"

namespace muster::cli {
namespace {

int64_t WorkersPerMember(const v1::JobSpec& spec) { return std::max(1, spec.workers_per_member()); }

std::string ShapeText(const v1::JobSpec& spec) {
  return absl::StrCat(Count(spec.members(), "member"), " × ", Count(WorkersPerMember(spec), "worker"), " = ",
                      Thousands(spec.members() * WorkersPerMember(spec)));
}

std::string SelfTestText(const v1::SelfTestSpec& spec) {
  switch (spec.profile()) {
    case v1::SelfTestSpec::STANDARD:
      return "standard";
    case v1::SelfTestSpec::SOAK:
      return "soak";
    case v1::SelfTestSpec::NONE:
      return "none (waived)";
    default:
      return "quick";
  }
}

std::string LaunchText(const v1::LaunchSpec& spec) {
  switch (spec.kind()) {
    case v1::LaunchSpec::AGENT:
      return "by agents";
    case v1::LaunchSpec::KUBERNETES:
      return "as a JobSet";
    case v1::LaunchSpec::COMMAND:
      return "by a command template";
    case v1::LaunchSpec::TEST_ONLY:
      return "nothing: a test only";
    default:
      return "by others (muster exec)";
  }
}

// "1 of 4 here; missing: 1, 2, 3" while anybody is missing.
std::string MembersText(const v1::Job& job) {
  std::vector<int64_t> missing;
  int64_t here = 0, exited = 0;
  for (const v1::MemberStatus& member : job.members()) {
    here += member.present();
    exited += member.exited();
    if (!member.present() && !member.exited()) missing.push_back(member.pod_index());
  }
  if (job.members().empty()) return "";
  std::string out = absl::StrCat(Thousands(here), " of ", Thousands(job.members_size()), " here");
  if (exited > 0) absl::StrAppend(&out, ", ", Thousands(exited), " ended");
  if (!missing.empty() && job.phase() != v1::FINISHED)
    absl::StrAppend(&out, "; missing: index ", RangesText(missing, 8));
  return out;
}

std::string CountsText(const v1::Job& job) {
  std::string out = absl::StrCat("attempt ", job.attempt());
  if (job.epoch() > 0) absl::StrAppend(&out, ", epoch ", job.epoch());
  if (job.tries() > 0) absl::StrAppend(&out, ", ", job.tries(), job.tries() == 1 ? " try used" : " tries used");
  if (job.restarts() > 0) absl::StrAppend(&out, ", ", Count(job.restarts(), "restart"));
  return out;
}

std::string QueueText(const Look& look, const v1::Job& job) {
  std::string out = absl::StrCat("position ", job.queue_position(), ", priority ", job.spec().priority());
  if (!job.spec().priority_class().empty()) absl::StrAppend(&out, " (", job.spec().priority_class(), ")");
  if (job.has_starts_by()) absl::StrAppend(&out, ", starts by ", look.When(job.starts_by()));
  return out;
}

Facts FactsOf(const Look& look, const v1::Job& job, const mesh::Mesh* mesh) {
  Facts facts;
  facts.Add("shape", ShapeText(job.spec()));
  facts.Add("mesh", MeshText(job.spec(), mesh));
  facts.Add("members", MembersText(job));
  facts.Add("life", CountsText(job));
  facts.Add("queue", job.queue_position() > 0 ? QueueText(look, job) : "");
  facts.Add("self-test",
            absl::StrCat(SelfTestText(job.spec().self_test()),
                         job.has_test_progress() ? absl::StrCat(": ", TestProgressText(job.test_progress())) : "",
                         job.receipt_id().empty() ? "" : absl::StrCat("   receipt ", job.receipt_id())));
  facts.Add("launch", LaunchText(job.spec().launch()));
  facts.Add("owner", job.owner().kind().empty() ? "" : absl::StrCat(job.owner().kind(), " ", job.owner().name()));
  facts.Add("submitted", job.has_submitted() ? look.When(job.submitted()) : "");
  if (job.has_phase_deadline() && job.phase() != v1::FINISHED) {
    facts.Add("deadline", absl::StrCat("of this phase ", look.When(job.phase_deadline())));
  }
  facts.Add("uid", look.wide ? job.uid() : "");
  return facts;
}

}  // namespace

std::string TestProgressText(const v1::TestProgress& progress) {
  std::string out = absl::StrCat(progress.family(), progress.family().empty() ? "" : " ",
                                 Thousands(progress.groups_done()), " of ", Count(progress.groups_total(), "group"));
  if (progress.round() > 1) absl::StrAppend(&out, ", round ", progress.round());
  return out;
}

std::string NextCommand(const v1::Job& job) {
  const std::string name = TypedName(job.namespace_(), job.name());
  if (job.phase() == v1::FINISHED) {
    return job.result() == v1::FAILED && !job.receipt_id().empty()
               ? absl::StrCat("muster describe receipt ", job.receipt_id())
               : "";
  }
  if (job.phase() == v1::QUEUED || job.phase() == v1::AWAITING) return absl::StrCat("muster explain job ", name);
  if (job.phase() == v1::RUNNING) {
    return job.receipt_id().empty() ? "" : absl::StrCat("muster describe receipt ", job.receipt_id());
  }
  return absl::StrCat("muster watch job ", name);
}

void PrintJobs(Screen& out, const Look& look, const google::protobuf::RepeatedPtrField<v1::Job>& jobs) {
  Table table({{"JOB"},
               {"STATE"},
               {"FOR"},
               {"WORKERS", true},
               {"PRIORITY", true},
               {"ATTEMPT", true},
               {"EPOCH", true},
               {"SUBMITTED"},
               {look.wide ? "UID" : ""},
               {look.wide ? "RECEIPT" : ""},
               {"WHY"}});
  for (const v1::Job& job : jobs) {
    table.Row({JobName(job), Span(StateWord(job), StateStyle(job)),
               job.has_phase_since() ? DurationText(look.now - FromProto(job.phase_since())) : "",
               Thousands(job.spec().members() * WorkersPerMember(job.spec())), absl::StrCat(job.spec().priority()),
               absl::StrCat(job.attempt()), job.epoch() > 0 ? absl::StrCat(job.epoch()) : "–",
               job.has_submitted() ? look.When(job.submitted()) : "", look.wide ? job.uid() : "",
               look.wide ? job.receipt_id() : "", WhyText(job)});
  }
  table.Print(out);
}

void PrintJob(Screen& out, const Look& look, const v1::Job& job, const mesh::Mesh* mesh) {
  std::string since;
  if (job.has_phase_since()) {
    since = job.phase() == v1::FINISHED || look.wide
                ? absl::StrCat("   since ", look.When(job.phase_since()))
                : absl::StrCat("   for ", DurationText(look.now - FromProto(job.phase_since())));
    if (job.phase() == v1::FINISHED && !look.wide) since = absl::StrCat("   ", look.When(job.phase_since()));
  }
  out.Line({Span(JobName(job), Style::kBold), "  ", Span(StateWord(job), StateStyle(job)), since});
  if (!job.why().empty()) out.Line(absl::StrCat("  ", WhyText(job)));
  out.Blank();
  FactsOf(look, job, mesh).Print(out);
  if (job.has_placement() && job.placement().ranks_size() > 0) {
    out.Blank();
    if (!job.placement().reason().empty()) out.Line(job.placement().reason());
    PrintPlacement(out, {.placement = job.placement(),
                         .workers_per_member = static_cast<int32_t>(WorkersPerMember(job.spec())),
                         .mesh = mesh,
                         .members = &job.members(),
                         .wide = look.wide});
    if (!job.placement().crossings().empty()) {
      out.Blank();
      PrintCrossings(out, job.placement());
      out.Line(CostText(job.placement()));
    }
  }
  if (job.notes_size() > 0) out.Blank();
  for (const std::string& note : job.notes()) out.Line({Span("note: ", Style::kDim), note});
  if (const std::string next = NextCommand(job); !next.empty()) {
    out.Blank();
    out.Line({Span("next: ", Style::kDim), next});
  }
}

}  // namespace muster::cli
