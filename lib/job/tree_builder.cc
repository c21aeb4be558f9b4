#include "lib/job/tree_builder.h"

#include <yaml-cpp/exceptions.h>

#include "absl/strings/str_cat.h"

namespace muster {
namespace {
constexpr size_t kMaxDepth = 32;
}  // namespace

void TreeBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  if (LeftOut(0)) return;
  Refuse(mark, "", anchor);
  Add(mark, YamlNode::Kind::kNull);
  Leave();
}

void TreeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t) {
  throw YAML::ParserException(mark, "aliases are not allowed; write the value out");
}

void TreeBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& value) {
  if (LeftOut(0)) return;
  Refuse(mark, tag, anchor);
  YamlNode& node = Add(mark, YamlNode::Kind::kScalar);
  node.text = value;
  node.quoted = tag == "!";
  Leave();
}

void TreeBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                                  YAML::EmitterStyle::value) {
  if (LeftOut(1)) return;
  Refuse(mark, tag, anchor);
  Add(mark, YamlNode::Kind::kList);
}

void TreeBuilder::OnSequenceEnd() {
  if (!LeftOut(-1)) Leave();
}

void TreeBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value) {
  if (LeftOut(1)) return;
  Refuse(mark, tag, anchor);
  Add(mark, YamlNode::Kind::kMap);
}

void TreeBuilder::OnMapEnd() {
  if (!LeftOut(-1)) Leave();
}

bool TreeBuilder::LeftOut(int change) {
  if (left_out_depth_ > 0) {
    left_out_depth_ += change;
    return true;
  }
  if (change < 0 || open_.empty()) return false;
  Open& parent = open_.back();
  if (parent.node->kind != YamlNode::Kind::kMap || parent.key_next) return false;
  if (limits_.left_out.count(parent.node->entries.back().key.text) == 0) return false;
  parent.key_next = true;
  left_out_depth_ = change;
  return true;
}

void TreeBuilder::Refuse(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
  if (anchor != 0) throw YAML::ParserException(mark, "anchors are not allowed; write the value out");
  if (!tag.empty() && tag != "?" && tag != "!") {
    throw YAML::ParserException(mark, absl::StrCat("tag ", tag.substr(0, 64), " is not allowed; leave it out"));
  }
  if (++count_ > limits_.values)
    throw YAML::ParserException(mark, absl::StrCat("more than ", limits_.values, " values"));
  if (open_.size() >= kMaxDepth) {
    throw YAML::ParserException(mark, absl::StrCat("more than ", kMaxDepth, " levels of nesting"));
  }
}

YamlNode& TreeBuilder::Add(const YAML::Mark& mark, YamlNode::Kind kind) {
  YamlNode* node = &root_;
  if (!open_.empty()) {
    Open& parent = open_.back();
    if (parent.node->kind == YamlNode::Kind::kList) {
      node = &parent.node->items.emplace_back();
    } else if (parent.key_next) {
      if (kind != YamlNode::Kind::kScalar) throw YAML::ParserException(mark, "a key must be plain text");
      node = &parent.node->entries.emplace_back().key;
    } else {
      node = &parent.node->entries.back().value;
    }
    if (parent.node->kind == YamlNode::Kind::kMap) parent.key_next = !parent.key_next;
  }
  node->kind = kind;
  node->line = mark.line + 1;
  open_.push_back({node, true});
  return *node;
}

}  // namespace muster
