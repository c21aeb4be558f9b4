#include "client/cli/job_source.h"

#include "client/cli/exit_code.h"
#include "client/cli/file_text.h"
#include "lib/job/validate.h"

namespace muster::cli {

void JobSource::Declare(FlagSet& flags) {
  flags.Text(&file, "file,f", "FILE", "the job, YAML or JSON; - is standard input");
  flags.Text(&ns, "namespace,n", "NAME", "in place of the file's namespace");
  flags.Text(&name, "name", "NAME", "in place of the file's name");
}

absl::StatusOr<JobFile> JobSource::Read(std::istream& in) const {
  const absl::StatusOr<std::string> text = ReadText(file, in);
  if (!text.ok()) return text.status();
  absl::StatusOr<JobFile> job = ParseJobFile(*text, FileName(file));
  if (!job.ok()) return AboutFile(job.status());
  if (!name.empty()) job->name = name;
  if (!ns.empty()) job->ns = ns;
  if (absl::Status valid = ValidateJob(job->ns, job->name, job->spec); !valid.ok()) {
    return AboutFile(WithLine(valid, *job));
  }
  return job;
}

}  // namespace muster::cli
