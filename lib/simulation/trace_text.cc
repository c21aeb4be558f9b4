#include "lib/simulation/trace_text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "lib/simulation/fields.h"
#include "lib/simulation/sacct.h"
#include "lib/simulation/table_text.h"

namespace muster::simulation {
namespace {

const std::vector<std::string>& Columns() {
  static const auto& columns = *new std::vector<std::string>{
      "name", "namespace", "submit", "nodes", "gpus_per_node", "run", "limit", "priority", "required", "spares", "tp",
      "cp",   "pp",        "ep",     "end"};
  return columns;
}

// Reads the rows of one CSV.
class CsvReader {
 public:
  CsvReader(const TableText& table, absl::string_view file) : table_(table), file_(file) {}

  absl::StatusOr<Trace> Read() {
    if (absl::Status status = ReadHeader(); !status.ok()) return status;
    Trace trace;
    for (const TableRow& row : table_.rows) {
      row_ = &row;
      TraceJob job;
      if (absl::Status status = ReadJob(job); !status.ok()) return status;
      trace.jobs.push_back(std::move(job));
    }
    return trace;
  }

 private:
  absl::Status ReadHeader() {
    for (size_t i = 0; i < table_.header.cells.size(); ++i) {
      const std::string& name = table_.header.cells[i];
      if (std::find(Columns().begin(), Columns().end(), name) == Columns().end()) {
        const std::string nearest = NearestName(name, Columns());
        return AtLine(file_, table_.header.line,
                      absl::StrCat("unknown column ", Shown(name), "; ",
                                   nearest.empty() ? absl::StrCat("known are ", FewNames(Columns(), 15))
                                                   : absl::StrCat("did you mean \"", nearest, "\"?")));
      }
      columns_[name] = i;
    }
    for (const char* needed : {"submit", "nodes", "run"}) {
      if (columns_.count(needed) == 0)
        return AtLine(file_, table_.header.line, absl::StrCat("column \"", needed, "\" is missing; add it"));
    }
    return absl::OkStatus();
  }

  // Empty: no such column, or nothing in it.
  const std::string& Cell(const std::string& column) const {
    static const auto& empty = *new std::string;
    const auto found = columns_.find(column);
    return found == columns_.end() ? empty : row_->cells[found->second];
  }
  absl::Status Wrong(absl::string_view column, absl::string_view problem) const {
    return AtLine(file_, row_->line, absl::StrCat(column, ": ", problem));
  }
  template <typename Number>
  absl::Status Count(const char* column, int64_t least, int64_t most, bool needed, Number* out) const {
    const std::string& cell = Cell(column);
    if (cell.empty() && !needed) return absl::OkStatus();
    const absl::StatusOr<int64_t> count = ReadCount(cell, least, most);
    if (!count.ok()) return Wrong(column, count.status().message());
    *out = static_cast<Number>(*count);
    return absl::OkStatus();
  }

  absl::Status ReadJob(TraceJob& job) {
    if (absl::Status status = ReadTimes(job); !status.ok()) return status;
    for (const absl::Status& status :
         {Count("nodes", 1, kMaxTraceNodes, true, &job.nodes),
          Count("gpus_per_node", 1, kMaxTraceGpus, false, &job.gpus_per_node),
          Count("priority", -1'000'000, 1'000'000, false, &job.priority),
          Count("tp", 1, 1'000'000, false, &job.mesh.tp), Count("cp", 1, 1'000'000, false, &job.mesh.cp),
          Count("pp", 1, 1'000'000, false, &job.mesh.pp), Count("ep", 1, 1'000'000, false, &job.mesh.ep)})
      if (!status.ok()) return status;
    if (absl::Status status = Count("spares", 0, job.nodes, false, &job.spares); !status.ok()) return status;
    if (absl::Status status = CheckMesh(job); !status.ok()) return status;
    if (!Cell("namespace").empty()) job.ns = Cell("namespace");
    job.required = Cell("required");
    job.name = Cell("name").empty() ? absl::StrCat("job-", row_->line) : Cell("name");
    if (!names_.insert(job.name).second)
      return Wrong("name", absl::StrCat(Shown(job.name), " was there before; give each job its own"));
    return ReadEnd(job);
  }

  absl::Status ReadTimes(TraceJob& job) {
    const std::string& submit = Cell("submit");
    if (absl::StrContains(submit, "T") || absl::StrContains(submit, " ")) {
      const absl::StatusOr<absl::Time> time = ReadTime(submit);
      if (!time.ok()) return Wrong("submit", time.status().message());
      if (!zero_) zero_ = *time;
      job.submit = *time - *zero_;
      if (job.submit > kMaxTraceTime) return Wrong("submit", "is more than ten years after the first; split the trace");
    } else {
      const absl::StatusOr<absl::Duration> since = ReadDuration(submit);
      if (!since.ok()) return Wrong("submit", since.status().message());
      job.submit = *since;
    }
    if (row_ != &table_.rows.front() && job.submit < last_) {
      return Wrong("submit", absl::StrCat(Shown(submit),
                                          " is before the row above; time can't go back: sort the rows "
                                          "by submission"));
    }
    last_ = job.submit;
    const absl::StatusOr<absl::Duration> run = ReadDuration(Cell("run"));
    if (!run.ok()) return Wrong("run", run.status().message());
    job.run = *run;
    if (Cell("limit").empty()) return absl::OkStatus();
    const absl::StatusOr<absl::Duration> limit = ReadDuration(Cell("limit"));
    if (!limit.ok()) return Wrong("limit", limit.status().message());
    if (*limit == absl::ZeroDuration()) return Wrong("limit", "is 0; leave it empty for none");
    job.limit = *limit;
    return absl::OkStatus();
  }

  absl::Status CheckMesh(const TraceJob& job) const {
    const int64_t workers = int64_t{job.nodes} * job.gpus_per_node;
    const __int128 degrees = static_cast<__int128>(job.mesh.tp) * job.mesh.cp * job.mesh.pp;
    const __int128 expert = static_cast<__int128>(job.mesh.tp) * job.mesh.ep * job.mesh.pp;
    if (workers % degrees == 0 && workers % expert == 0) return absl::OkStatus();
    return Wrong("tp",
                 absl::StrCat("tp ", job.mesh.tp, " × cp ", job.mesh.cp, " × pp ", job.mesh.pp, " (ep ", job.mesh.ep,
                              ") doesn't divide ", workers, " workers; change the degrees or nodes"));
  }

  absl::Status ReadEnd(TraceJob& job) const {
    const std::string& end = Cell("end");
    if (end.empty() || end == "completed") return absl::OkStatus();
    if (end != "failed" && end != "cancelled")
      return Wrong("end", absl::StrCat(Shown(end), " is no end; give completed, failed or cancelled"));
    job.end = end == "failed" ? TraceEnd::kFailed : TraceEnd::kCancelled;
    return absl::OkStatus();
  }

  const TableText& table_;
  const absl::string_view file_;
  std::map<std::string, size_t> columns_;
  const TableRow* row_ = nullptr;
  std::optional<absl::Time> zero_;
  absl::Duration last_;
  std::set<std::string> names_;
};

}  // namespace

absl::StatusOr<Trace> ReadTrace(absl::string_view text, absl::string_view file) {
  const absl::StatusOr<TableText> table = ReadTableText(text, file);
  if (!table.ok()) return table.status();
  if (static_cast<int64_t>(table->rows.size()) > kMaxTraceJobs) {
    return AtLine(file, table->rows[kMaxTraceJobs].line,
                  absl::StrCat("more than ", kMaxTraceJobs, " rows; split the trace"));
  }
  absl::StatusOr<Trace> trace = table->separator == '|' ? ReadSacct(*table, file) : CsvReader(*table, file).Read();
  if (trace.ok() && trace->jobs.empty()) {
    return AtLine(file, table->header.line,
                  trace->skipped > 0 ? absl::StrCat("none of the ", trace->skipped, " rows is a job that ran")
                                     : "there are no jobs below the header; give a row for each");
  }
  return trace;
}

}  // namespace muster::simulation
