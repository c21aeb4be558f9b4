#include "client/cli/screen.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/cli/escape.h"

namespace muster::cli {
namespace {

const char* Code(Style style) {
  switch (style) {
    case Style::kPlain:
      return "";
    case Style::kBold:
      return "\x1b[1m";
    case Style::kDim:
      return "\x1b[2m";
    case Style::kGood:
      return "\x1b[32m";
    case Style::kWarn:
      return "\x1b[33m";
    case Style::kBad:
      return "\x1b[1;31m";
  }
  return "";
}

constexpr char kReset[] = "\x1b[0m";
// Back to the first column, and erase to the end of the line.
constexpr char kRedraw[] = "\r\x1b[K";

}  // namespace

void Screen::Line(const Spans& spans) {
  EndProgress();
  std::string line;
  for (const Span& span : spans) {
    const bool coloured = options_.colour && span.style != Style::kPlain && !span.text.empty();
    absl::StrAppend(&line, coloured ? Code(span.style) : "", Printable(span.text), coloured ? kReset : "");
  }
  out_ << line << '\n' << std::flush;
}

void Screen::Block(absl::string_view text) {
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  for (absl::string_view line : absl::StrSplit(text, '\n')) Line(std::string(line));
}

void Screen::Raw(absl::string_view text) {
  EndProgress();
  out_.write(text.data(), static_cast<std::streamsize>(text.size()));
  out_ << std::flush;
}

void Screen::Progress(const std::string& text) {
  if (!options_.terminal) return;
  // A line that wraps can't be redrawn.
  const std::string shown = Printable(text);
  out_ << kRedraw << (options_.columns > 1 ? CutTo(shown, options_.columns - 1) : shown) << std::flush;
  progress_ = true;
}

void Screen::EndProgress() {
  if (!progress_) return;
  out_ << kRedraw << std::flush;
  progress_ = false;
}

}  // namespace muster::cli
