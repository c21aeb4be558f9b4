#include "lib/job/yaml_tree.h"

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "lib/job/tree_builder.h"

namespace muster {
namespace {

absl::Status At(absl::string_view file, int line, absl::string_view problem) {
  return AtLine(FieldError("", problem, ""), file, line);
}

}  // namespace

const char* YamlNode::KindName() const {
  switch (kind) {
    case Kind::kNull:
      return "nothing";
    case Kind::kScalar:
      return "a single value";
    case Kind::kList:
      return "a list";
    case Kind::kMap:
      return "a map";
  }
  return "";
}

absl::Status AtLine(const absl::Status& status, absl::string_view file, int line) {
  if (status.ok()) return status;
  absl::Status located(status.code(),
                       absl::StrCat(file, line > 0 ? absl::StrCat(":", line) : "", ": ", status.message()));
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& payload) { located.SetPayload(url, payload); });
  return located;
}

absl::Status CheckText(absl::string_view text, absl::string_view file, const TreeLimits& limits) {
  if (text.size() > limits.bytes) {
    return At(file, 0, absl::StrCat("the file has ", text.size(), " bytes; at most ", limits.bytes, " are allowed"));
  }
  const size_t nul = text.find('\0');
  if (nul == absl::string_view::npos) return absl::OkStatus();
  const auto line = 1 + std::count(text.begin(), text.begin() + nul, '\n');
  return At(file, static_cast<int>(line), "there is a NUL byte; the file must be text in UTF-8");
}

absl::StatusOr<YamlNode> ParseYaml(absl::string_view text, absl::string_view file) {
  auto documents = ParseYamlDocuments(text, file, {});
  if (!documents.ok()) return documents.status();
  if (documents->empty()) return YamlNode();
  if (documents->size() == 1) return std::move((*documents)[0]);
  return At(file, (*documents)[1].line, "a second document begins; write one job or inventory a file");
}

absl::StatusOr<std::vector<YamlNode>> ParseYamlDocuments(absl::string_view text, absl::string_view file,
                                                         const TreeLimits& limits) {
  if (absl::Status status = CheckText(text, file, limits); !status.ok()) return status;
  std::istringstream in{std::string(text)};
  std::vector<YamlNode> documents;
  try {
    YAML::Parser parser(in);
    while (true) {
      TreeBuilder builder(limits);
      if (!parser.HandleNextDocument(builder)) return documents;
      documents.push_back(builder.Take());
    }
  } catch (const YAML::Exception& e) {
    return At(file, e.mark.line + 1, e.msg);
  }
}

}  // namespace muster
