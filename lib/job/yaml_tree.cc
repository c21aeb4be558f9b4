#include "lib/job/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <sstream>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"

namespace muster {
namespace {

constexpr size_t kMaxNodes = 100'000;
constexpr size_t kMaxDepth = 32;

// Builds the tree; refuses by a YAML::ParserException, which ends the parse and is caught below.
class Builder : public YAML::EventHandler {
 public:
  YamlNode Take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Refuse(mark, "", anchor);
    Add(mark, YamlNode::Kind::kNull);
    Leave();
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw YAML::ParserException(mark, "aliases are not allowed; write the value out");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Refuse(mark, tag, anchor);
    YamlNode& node = Add(mark, YamlNode::Kind::kScalar);
    node.text = value;
    node.quoted = tag == "!";
    Leave();
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Refuse(mark, tag, anchor);
    Add(mark, YamlNode::Kind::kList);
  }
  void OnSequenceEnd() override { Leave(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Refuse(mark, tag, anchor);
    Add(mark, YamlNode::Kind::kMap);
  }
  void OnMapEnd() override { Leave(); }

 private:
  // A node under construction, and whether its next child is a key.
  struct Open {
    YamlNode* node;
    bool key_next;
  };

  void Refuse(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != 0) throw YAML::ParserException(mark, "anchors are not allowed; write the value out");
    if (!tag.empty() && tag != "?" && tag != "!") {
      throw YAML::ParserException(mark, absl::StrCat("tag ", tag.substr(0, 64), " is not allowed; leave it out"));
    }
    if (++count_ > kMaxNodes) throw YAML::ParserException(mark, absl::StrCat("more than ", kMaxNodes, " values"));
    if (open_.size() >= kMaxDepth) {
      throw YAML::ParserException(mark, absl::StrCat("more than ", kMaxDepth, " levels of nesting"));
    }
  }

  YamlNode& Add(const YAML::Mark& mark, YamlNode::Kind kind) {
    YamlNode* node = &root_;
    if (!open_.empty()) {
      Open& parent = open_.back();
      if (parent.node->kind == YamlNode::Kind::kList) {
        node = &parent.node->items.emplace_back();
      } else if (parent.key_next) {
        if (kind != YamlNode::Kind::kScalar) throw YAML::ParserException(mark, "a key must be plain text");
        node = &parent.node->entries.emplace_back().first;
      } else {
        node = &parent.node->entries.back().second;
      }
      if (parent.node->kind == YamlNode::Kind::kMap) parent.key_next = !parent.key_next;
    }
    node->kind = kind;
    node->line = mark.line + 1;
    open_.push_back({node, true});
    return *node;
  }
  void Leave() { open_.pop_back(); }

  YamlNode root_;
  std::vector<Open> open_;
  size_t count_ = 0;
};

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

absl::StatusOr<YamlNode> ParseYaml(absl::string_view text, absl::string_view file) {
  if (text.size() > kMaxFileBytes) {
    return At(file, 0, absl::StrCat("the file has ", text.size(), " bytes; at most ", kMaxFileBytes, " are allowed"));
  }
  if (const size_t nul = text.find('\0'); nul != absl::string_view::npos) {
    int line = 1;
    for (const char c : text.substr(0, nul)) line += c == '\n' ? 1 : 0;
    return At(file, line, "there is a NUL byte; the file must be text in UTF-8");
  }
  std::istringstream in{std::string(text)};
  Builder builder;
  try {
    YAML::Parser parser(in);
    if (!parser.HandleNextDocument(builder)) return YamlNode();
    Builder second;
    if (parser.HandleNextDocument(second)) {
      return At(file, second.Take().line, "a second document begins; write one job or inventory a file");
    }
  } catch (const YAML::Exception& e) {
    return At(file, e.mark.line + 1, e.msg);
  }
  return builder.Take();
}

}  // namespace muster
