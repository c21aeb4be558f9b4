#include "lib/job/job_file.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "lib/job/message_of.h"
#include "lib/job/validate.h"
#include "lib/job/yaml_tree.h"

namespace muster {
namespace {

const std::vector<std::string>& TopFields() {
  static const auto& fields = *new std::vector<std::string>{"name", "namespace", "spec", "kind", "apiVersion"};
  return fields;
}

absl::Status ReadTop(const YamlNode& key, const YamlNode& value, FileContext& context, JobFile& job) {
  const auto text = [&](std::string& to) {
    if (value.kind != YamlNode::Kind::kScalar) {
      return FileError(context, value, key.text, absl::StrCat(value.KindName(), " where a name belongs"),
                       "write one value");
    }
    to = value.text;
    return absl::OkStatus();
  };
  const auto only = [&](const std::string& wanted) {
    if (value.text == wanted) return absl::OkStatus();
    return FileError(context, value, key.text,
                     absl::StrCat("\"", value.text.substr(0, 64), "\" is not \"", wanted, "\""), "leave it out");
  };
  if (key.text == "name") return text(job.name);
  if (key.text == "namespace") return text(job.ns);
  if (key.text == "kind") return only("Job");
  if (key.text == "apiVersion") return only("muster/v1");
  if (key.text == "spec") return FillMessage(value, "spec", context, job.spec);
  const std::string nearest = NearestName(key.text, TopFields());
  return FileError(context, key, key.text.substr(0, 64), "unknown field",
                   absl::StrCat(nearest.empty() ? "" : absl::StrCat("did you mean \"", nearest, "\"? "),
                                "(a job file knows ", FewNames(TopFields(), 8), ")"));
}

}  // namespace

absl::StatusOr<JobFile> ParseJobFile(absl::string_view text, absl::string_view file) {
  auto tree = ParseYaml(text, file);
  if (!tree.ok()) return tree.status();
  JobFile job;
  FileContext context;
  context.file = std::string(file);
  if (tree->kind != YamlNode::Kind::kMap) {
    return FileError(context, *tree, "", absl::StrCat("the file holds ", tree->KindName()),
                     "a job file is a map with name and spec");
  }
  for (const auto& [key, value] : tree->entries) {
    if (!context.lines.emplace(key.text, key.line).second) {
      return FileError(context, key, key.text.substr(0, 64), "the field is there twice", "keep one");
    }
    if (value.kind == YamlNode::Kind::kNull) continue;
    if (absl::Status status = ReadTop(key, value, context, job); !status.ok()) return status;
  }
  job.lines = std::move(context.lines);
  job.file = std::move(context.file);
  return job;
}

absl::Status WithLine(const absl::Status& status, const JobFile& file) {
  int line = 0;
  if (const absl::optional<v1::OutcomeDetail> detail = DetailOf(status)) {
    // The field's own line, or that of the nearest thing around it that the file has.
    for (std::string path = detail->field(); !path.empty();) {
      if (const auto found = file.lines.find(path); found != file.lines.end()) {
        line = found->second;
        break;
      }
      const size_t cut = path.find_last_of(".[");
      path.resize(cut == std::string::npos ? 0 : cut);
    }
  }
  return AtLine(status, file.file, line);
}

absl::StatusOr<JobFile> ReadJobFile(absl::string_view text, absl::string_view file) {
  auto job = ParseJobFile(text, file);
  if (!job.ok()) return job;
  if (absl::Status status = ValidateJob(job->ns, job->name, job->spec); !status.ok()) return WithLine(status, *job);
  return job;
}

}  // namespace muster
