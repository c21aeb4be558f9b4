#pragma once
// Where commands write for people. Every text is made printable (escape.h) on its way out, so that no name from
// elsewhere acts on the terminal; colour is added here and nowhere else.

#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace muster::cli {

enum class Style { kPlain, kBold, kDim, kGood, kWarn, kBad };

struct Span {
  std::string text;
  Style style = Style::kPlain;

  Span(std::string t, Style s = Style::kPlain) : text(std::move(t)), style(s) {}
  Span(const char* t, Style s = Style::kPlain) : text(t), style(s) {}
};
using Spans = std::vector<Span>;

struct ScreenOptions {
  // A person's terminal: one line may be redrawn.
  bool terminal = false;
  bool colour = false;
  // Of the terminal; 0: as wide as the text wants.
  size_t columns = 0;
};

// Not thread-safe.
class Screen {
 public:
  Screen(std::ostream& out, ScreenOptions options) : out_(out), options_(options) {}
  ~Screen() { EndProgress(); }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  const ScreenOptions& options() const { return options_; }

  void Line(const std::string& text) { Line(Spans{Span(text)}); }
  void Line(const Spans& spans);
  void Blank() { Line(Spans{}); }
  // A text of several lines (help, a summary with newlines of our own). Not for text from elsewhere.
  void Block(absl::string_view text);
  // As it is, byte by byte: documents for programs, already safe.
  void Raw(absl::string_view text);
  // One line that the next Progress or Line replaces; on anything but a terminal, nothing.
  void Progress(const std::string& text);
  void EndProgress();

 private:
  std::ostream& out_;
  const ScreenOptions options_;
  bool progress_ = false;
};

}  // namespace muster::cli
