#include "lib/simulation/table_text.h"

#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/simulation/fields.h"

namespace muster::simulation {
namespace {

// The cells of one line; false: a quote is open at its end.
bool Split(absl::string_view line, char separator, std::vector<std::string>& cells) {
  std::string cell;
  bool quoted = false, was_quoted = false;
  const auto end = [&] {
    cells.push_back(was_quoted ? cell : std::string(absl::StripAsciiWhitespace(cell)));
    cell.clear();
    was_quoted = false;
  };
  for (size_t i = 0; i < line.size(); ++i) {
    if (quoted && line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      cell += '"';
      ++i;
    } else if (line[i] == '"' && separator == ',' && (quoted || absl::StripAsciiWhitespace(cell).empty())) {
      quoted = !quoted;
      was_quoted = true;
      if (quoted) cell.clear();
    } else if (line[i] == separator && !quoted) {
      end();
    } else {
      cell += line[i];
    }
  }
  end();
  return !quoted;
}

}  // namespace

absl::Status AtLine(absl::string_view file, int line, absl::string_view problem) {
  return absl::InvalidArgumentError(absl::StrCat(file, ":", line, ": ", problem));
}

absl::StatusOr<TableText> ReadTableText(absl::string_view text, absl::string_view file) {
  TableText table;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (line.size() > kMaxLine) {
      return AtLine(
          file, number,
          absl::StrCat("the line is ", line.size(), " bytes long; at most ", kMaxLine, " are read: is this a trace?"));
    }
    if (line.find('\0') != absl::string_view::npos) return AtLine(file, number, "the line holds a NUL byte; give text");
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') continue;
    const bool header = table.header.cells.empty();
    if (header && line.find('|') != absl::string_view::npos) table.separator = '|';
    TableRow row{number, {}};
    if (!Split(line, table.separator, row.cells))
      return AtLine(file, number, "a quote is not closed on this line; close it, or double it to mean itself");
    if (header) {
      const std::set<std::string> names(row.cells.begin(), row.cells.end());
      for (const std::string& name : names) {
        if (std::count(row.cells.begin(), row.cells.end(), name) > 1)
          return AtLine(file, number, absl::StrCat("column ", Shown(name), " is there twice; keep one"));
      }
      table.header = std::move(row);
      continue;
    }
    if (row.cells.size() != table.header.cells.size()) {
      return AtLine(file, number,
                    absl::StrCat(row.cells.size(), " cells where the header has ", table.header.cells.size(),
                                 " columns; give one a column"));
    }
    table.rows.push_back(std::move(row));
  }
  if (table.header.cells.empty())
    return AtLine(file, number, "there is no header line; begin with the columns' names, e.g. submit,nodes,run");
  return table;
}

}  // namespace muster::simulation
