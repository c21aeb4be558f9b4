#include "lib/simulation/sacct.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/simulation/fields.h"

namespace muster::simulation {
namespace {

bool IsNothing(const std::string& cell) {
  return cell.empty() || cell == "Unknown" || cell == "None" || cell == "INVALID";
}

class SacctReader {
 public:
  SacctReader(const TableText& table, absl::string_view file) : table_(table), file_(file) {}

  absl::StatusOr<Trace> Read() {
    for (size_t i = 0; i < table_.header.cells.size(); ++i) columns_[table_.header.cells[i]] = i;
    if (absl::Status status = CheckColumns(); !status.ok()) return status;
    Trace trace;
    std::vector<std::pair<absl::Time, TraceJob>> jobs;
    for (const TableRow& row : table_.rows) {
      row_ = &row;
      if (absl::StrContains(Cell("JobID"), '.') || !Ran()) {
        ++trace.skipped;
        continue;
      }
      absl::Time submit;
      TraceJob job;
      if (absl::Status status = ReadJob(submit, job); !status.ok()) return status;
      jobs.emplace_back(submit, std::move(job));
    }
    std::stable_sort(jobs.begin(), jobs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [submit, job] : jobs) {
      job.submit = submit - jobs.front().first;
      trace.jobs.push_back(std::move(job));
    }
    return trace;
  }

 private:
  bool Has(const std::string& column) const { return columns_.count(column) > 0; }
  const std::string& Cell(const std::string& column) const {
    static const auto& empty = *new std::string;
    const auto found = columns_.find(column);
    return found == columns_.end() ? empty : row_->cells[found->second];
  }
  absl::Status Wrong(absl::string_view column, absl::string_view problem) const {
    return AtLine(file_, row_->line, absl::StrCat(column, ": ", problem));
  }

  absl::Status CheckColumns() const {
    const bool nodes = Has("NNodes") || Has("AllocNodes");
    const bool time = Has("ElapsedRaw") || Has("Elapsed") || (Has("Start") && Has("End"));
    if (Has("Submit") && nodes && time) return absl::OkStatus();
    return AtLine(file_, table_.header.line,
                  absl::StrCat("column ",
                               !Has("Submit") ? "Submit"
                               : !nodes       ? "NNodes"
                                              : "ElapsedRaw",
                               " is missing; make the trace with sacct -P "
                               "-o JobID,Account,Submit,NNodes,ElapsedRaw,TimelimitRaw,State"));
  }

  std::string Nodes() const { return Has("NNodes") ? Cell("NNodes") : Cell("AllocNodes"); }
  bool Ran() const {
    const std::string nodes = Nodes();
    if (IsNothing(nodes) || nodes == "0") return false;
    if (Has("ElapsedRaw")) return !IsNothing(Cell("ElapsedRaw")) && Cell("ElapsedRaw") != "0";
    if (Has("Elapsed")) return !IsNothing(Cell("Elapsed")) && Cell("Elapsed") != "00:00:00";
    return !IsNothing(Cell("Start")) && !IsNothing(Cell("End"));
  }

  absl::Status ReadJob(absl::Time& submit, TraceJob& job) {
    const absl::StatusOr<absl::Time> submitted = ReadTime(Cell("Submit"));
    if (!submitted.ok()) return Wrong("Submit", submitted.status().message());
    submit = *submitted;
    const absl::StatusOr<int64_t> nodes = ReadCount(Nodes(), 1, kMaxTraceNodes);
    if (!nodes.ok()) return Wrong(Has("NNodes") ? "NNodes" : "AllocNodes", nodes.status().message());
    job.nodes = static_cast<int32_t>(*nodes);
    if (absl::Status status = ReadRun(submit, job); !status.ok()) return status;
    if (absl::Status status = ReadLimit(job); !status.ok()) return status;
    job.ns = !IsNothing(Cell("Account")) ? Cell("Account") : !IsNothing(Cell("User")) ? Cell("User") : "default";
    // A job that was requeued has a row for each of its runs.
    const std::string id = IsNothing(Cell("JobID")) ? absl::StrCat("job-", row_->line) : Cell("JobID");
    job.name = names_.insert(id).second ? id : absl::StrCat(id, "@", row_->line);
    names_.insert(job.name);
    if (absl::StartsWith(Cell("State"), "CANCELLED")) {
      job.end = TraceEnd::kCancelled;
    } else if (!Cell("State").empty() && Cell("State") != "COMPLETED" && Cell("State") != "RUNNING") {
      job.end = TraceEnd::kFailed;
    }
    return absl::OkStatus();
  }

  absl::Status ReadRun(absl::Time submit, TraceJob& job) const {
    for (const char* column : {"ElapsedRaw", "Elapsed"}) {
      if (!Has(column)) continue;
      const absl::StatusOr<absl::Duration> run = ReadDuration(Cell(column));
      if (!run.ok()) return Wrong(column, run.status().message());
      job.run = *run;
      return absl::OkStatus();
    }
    const absl::StatusOr<absl::Time> start = ReadTime(Cell("Start"));
    if (!start.ok()) return Wrong("Start", start.status().message());
    const absl::StatusOr<absl::Time> end = ReadTime(Cell("End"));
    if (!end.ok()) return Wrong("End", end.status().message());
    if (*start < submit) return Wrong("Start", "is before Submit; time can't go back");
    if (*end < *start) return Wrong("End", "is before Start; time can't go back");
    if (*end - *start > kMaxTraceTime) return Wrong("End", "is more than ten years after Start");
    job.run = *end - *start;
    return absl::OkStatus();
  }

  absl::Status ReadLimit(TraceJob& job) const {
    for (const char* column : {"TimelimitRaw", "Timelimit"}) {
      const std::string& cell = Cell(column);
      if (IsNothing(cell) || cell == "UNLIMITED" || cell == "Partition_Limit") continue;
      const bool raw = std::string(column) == "TimelimitRaw";
      absl::StatusOr<absl::Duration> limit = absl::ZeroDuration();
      if (raw) {
        const absl::StatusOr<int64_t> minutes = ReadCount(cell, 0, absl::ToInt64Minutes(kMaxTraceTime));
        if (!minutes.ok()) return Wrong(column, minutes.status().message());
        limit = absl::Minutes(*minutes);
      } else {
        limit = ReadDuration(cell);
      }
      if (!limit.ok()) return Wrong(column, limit.status().message());
      // Slurm ends a job some seconds late.
      if (*limit > absl::ZeroDuration()) job.limit = std::max(*limit, job.run);
      return absl::OkStatus();
    }
    return absl::OkStatus();
  }

  const TableText& table_;
  const absl::string_view file_;
  std::map<std::string, size_t> columns_;
  const TableRow* row_ = nullptr;
  std::set<std::string> names_;
};

}  // namespace

absl::StatusOr<Trace> ReadSacct(const TableText& table, absl::string_view file) {
  return SacctReader(table, file).Read();
}

}  // namespace muster::simulation
