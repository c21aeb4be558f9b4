#pragma once
// Aligned columns under headings.

#include <string>
#include <vector>

#include "client/cli/screen.h"

namespace muster::cli {

struct Column {
  std::string heading;
  // Numbers stand at the right, under the end of their heading.
  bool right = false;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns, size_t gap = 2) : columns_(std::move(columns)), gap_(gap) {}

  // One cell a column; missing ones are empty. A cell is one line: newlines are escaped.
  void Row(std::vector<Span> cells);
  bool empty() const { return rows_.empty(); }
  size_t size() const { return rows_.size(); }

  // Columns without any text but the heading are left out. On a terminal too narrow, the last column is cut.
  void Print(Screen& screen) const;

 private:
  std::vector<Column> columns_;
  size_t gap_;
  std::vector<std::vector<Span>> rows_;
};

// "label    value" lines, the values aligned.
class Facts {
 public:
  // An empty value is left out.
  void Add(std::string label, std::string value, Style style = Style::kPlain);
  void Print(Screen& screen) const;

 private:
  std::vector<std::pair<std::string, Span>> facts_;
};

}  // namespace muster::cli
