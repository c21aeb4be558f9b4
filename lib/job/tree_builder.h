#pragma once
// Builds a YamlNode from a parser's events; refuses by a YAML::ParserException, which ends the parse.

#include <yaml-cpp/eventhandler.h>

#include <string>
#include <vector>

#include "lib/job/yaml_tree.h"

namespace muster {

class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const TreeLimits& limits) : limits_(limits) {}

  YamlNode Take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  // `tag` "!": quoted.
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override;
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override;

 private:
  // A node under construction, and whether its next child is a key.
  struct Open {
    YamlNode* node;
    bool key_next;
  };

  void Refuse(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor);
  YamlNode& Add(const YAML::Mark& mark, YamlNode::Kind kind);
  void Leave() { open_.pop_back(); }
  // Whether the event belongs to a value that is left out. `change`: 1 where it opens a list or map, -1 where it ends
  // one, else 0.
  bool LeftOut(int change);

  const TreeLimits& limits_;
  YamlNode root_;
  std::vector<Open> open_;
  size_t count_ = 0;
  size_t left_out_depth_ = 0;
};

}  // namespace muster
