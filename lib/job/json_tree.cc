#include "lib/job/json_tree.h"

#include <yaml-cpp/exceptions.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "lib/job/tree_builder.h"

namespace muster {
namespace {

using Json = nlohmann::json;

// Counts the lines that the parser has read.
class LineIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  LineIterator(const char* at, int* lines) : at_(at), lines_(lines) {}
  const char& operator*() const { return *at_; }
  LineIterator& operator++() {
    *lines_ += *at_ == '\n' ? 1 : 0;
    ++at_;
    return *this;
  }
  LineIterator operator++(int) {
    LineIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const LineIterator& other) const { return at_ == other.at_; }
  bool operator!=(const LineIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  int* lines_;
};

class Events final : public nlohmann::json_sax<Json> {
 public:
  explicit Events(const TreeLimits& limits) : builder(limits) {}

  bool null() override {
    builder.OnNull(Mark(), 0);
    return true;
  }
  bool boolean(bool value) override { return Scalar("?", value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return Scalar("?", absl::StrCat(value)); }
  bool number_unsigned(number_unsigned_t value) override { return Scalar("?", absl::StrCat(value)); }
  bool number_float(number_float_t, const string_t& text) override { return Scalar("?", text); }
  bool string(string_t& value) override { return Scalar("!", value); }
  bool key(string_t& value) override { return Scalar("!", value); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override {
    builder.OnMapStart(Mark(), "", 0, YAML::EmitterStyle::Default);
    return true;
  }
  bool end_object() override {
    builder.OnMapEnd();
    return true;
  }
  bool start_array(std::size_t) override {
    builder.OnSequenceStart(Mark(), "", 0, YAML::EmitterStyle::Default);
    return true;
  }
  bool end_array() override {
    builder.OnSequenceEnd();
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception& e) override {
    // "[json.exception.parse_error.101] parse error at line 3, column 1: syntax error while …"
    problem = e.what();
    if (const size_t colon = problem.find(": "); colon != std::string::npos) problem.erase(0, colon + 2);
    return false;
  }

  TreeBuilder builder;
  int lines = 0;
  std::string problem;

 private:
  YAML::Mark Mark() const {
    YAML::Mark mark;
    mark.line = lines;
    return mark;
  }
  bool Scalar(const char* tag, const std::string& value) {
    builder.OnScalar(Mark(), tag, 0, value);
    return true;
  }
};

}  // namespace

absl::StatusOr<YamlNode> ParseJson(absl::string_view text, absl::string_view file, const TreeLimits& limits) {
  if (absl::Status status = CheckText(text, file, limits); !status.ok()) return status;
  Events events(limits);
  const auto at = [&](int line, absl::string_view problem) { return AtLine(FieldError("", problem, ""), file, line); };
  try {
    LineIterator begin(text.data(), &events.lines), end(text.data() + text.size(), &events.lines);
    if (Json::sax_parse(begin, end, &events)) return events.builder.Take();
    return at(events.lines + 1, events.problem.substr(0, 256));
  } catch (const YAML::Exception& e) {
    return at(e.mark.line + 1, e.msg);
  } catch (const Json::exception& e) {
    return at(events.lines + 1, std::string(e.what()).substr(0, 256));
  }
}

}  // namespace muster
