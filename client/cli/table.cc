#include "client/cli/table.h"

#include <algorithm>

#include "client/cli/escape.h"

namespace muster::cli {
namespace {

// Cuts the last shown cell so that the line fits the terminal; never below 8 columns, where it would say nothing.
void CutLast(Span& cell, size_t used, size_t columns) {
  if (columns == 0) return;
  const size_t room = columns > used + 8 ? columns - used : 8;
  if (Width(cell.text) > room) cell.text = CutTo(cell.text, room);
}

}  // namespace

void Table::Row(std::vector<Span> cells) {
  cells.resize(columns_.size(), Span(""));
  for (Span& cell : cells) cell.text = Printable(cell.text);
  rows_.push_back(std::move(cells));
}

void Table::Print(Screen& screen) const {
  std::vector<size_t> widths(columns_.size(), 0);
  std::vector<size_t> shown;
  for (size_t c = 0; c < columns_.size(); ++c) {
    for (const auto& row : rows_) widths[c] = std::max(widths[c], Width(row[c].text));
    if (widths[c] == 0) continue;
    widths[c] = std::max(widths[c], Width(columns_[c].heading));
    shown.push_back(c);
  }
  const auto print = [&](auto cell_at) {
    Spans line;
    size_t used = 0, owed = 0;
    for (const size_t c : shown) {
      Span cell = cell_at(c);
      if (c == shown.back() && !columns_[c].right) CutLast(cell, used + owed, screen.options().columns);
      const size_t fill = widths[c] - std::min(widths[c], Width(cell.text));
      if (!cell.text.empty()) {
        const size_t before = owed + (columns_[c].right ? fill : 0);
        if (before > 0) line.emplace_back(std::string(before, ' '));
        used += before + Width(cell.text);
        owed = (columns_[c].right ? 0 : fill) + gap_;
        line.push_back(std::move(cell));
      } else {
        owed += fill + gap_;
      }
    }
    screen.Line(line);
  };
  if (shown.empty()) return;
  const bool headed = std::any_of(columns_.begin(), columns_.end(), [](const Column& c) { return !c.heading.empty(); });
  if (headed) print([&](size_t c) { return Span(columns_[c].heading, Style::kDim); });
  for (const auto& row : rows_) print([&](size_t c) { return row[c]; });
}

void Facts::Add(std::string label, std::string value, Style style) {
  if (!value.empty()) facts_.emplace_back(std::move(label), Span(std::move(value), style));
}

void Facts::Print(Screen& screen) const {
  size_t width = 0;
  for (const auto& [label, value] : facts_) width = std::max(width, Width(label));
  for (const auto& [label, value] : facts_) {
    screen.Line({Span(label, Style::kDim), std::string(width - Width(label) + 2, ' '), value});
  }
}

}  // namespace muster::cli
