#include "client/cli/flag_set.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/cli/escape.h"
#include "client/cli/exit_code.h"
#include "client/cli/format.h"
#include "lib/base/errors.h"

namespace muster::cli {

// CLI11 splits the pieces; values are converted here, so that their errors are ours.
struct FlagSet::Parser {
  struct Value {
    CLI::Option* option = nullptr;
    std::vector<std::string> given;
    bool many = false;
    std::function<absl::Status(const std::string&)> take;
  };
  CLI::App app;
  std::vector<std::unique_ptr<Value>> values;  // by place in flags_; nullptr: a switch
};

namespace {

FlagInfo InfoOf(const std::string& name, const std::string& value, const std::string& help) {
  const size_t comma = name.find(',');
  return {name.substr(0, comma), comma == std::string::npos ? "" : name.substr(comma + 1), value, help};
}

std::string Spelling(const FlagInfo& info) {
  return absl::StrCat("--", info.name, info.letter.empty() ? "" : absl::StrCat(",-", info.letter));
}

bool Matches(const FlagInfo& info, const std::string& piece) {
  return piece == absl::StrCat("--", info.name) || (!info.letter.empty() && piece == absl::StrCat("-", info.letter));
}

bool LooksLikeFlag(const std::string& piece) { return piece.size() > 1 && piece[0] == '-'; }

// Where the pieces that flags are read from end: at "--", or (`stop_at_word`) at the first that is neither a flag nor
// a flag's value.
size_t HeadEnd(const std::vector<FlagInfo>& flags, const std::vector<std::string>& pieces, bool stop_at_word) {
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i] == "--") return i;
    const auto flag =
        std::find_if(flags.begin(), flags.end(), [&](const FlagInfo& f) { return Matches(f, pieces[i]); });
    if (flag != flags.end() && !flag->value.empty()) {
      ++i;
    } else if (stop_at_word && !LooksLikeFlag(pieces[i])) {
      return i;
    }
  }
  return pieces.size();
}

}  // namespace

FlagSet::FlagSet(std::string command) : command_(std::move(command)), parser_(std::make_unique<Parser>()) {
  parser_->app.set_help_flag();
  parser_->app.allow_extras();
  parser_->app.allow_windows_style_options(false);
}

FlagSet::~FlagSet() = default;

void FlagSet::Texts(std::vector<std::string>* target, const std::string& name, const std::string& value,
                    const std::string& help) {
  flags_.push_back(InfoOf(name, value, help));
  auto& slot = parser_->values.emplace_back(std::make_unique<Parser::Value>());
  slot->option = parser_->app.add_option(Spelling(flags_.back()), slot->given)->allow_extra_args(false)->take_all();
  slot->many = true;
  slot->take = [target](const std::string& text) {
    target->push_back(text);
    return absl::OkStatus();
  };
}

void FlagSet::Text(std::string* target, const std::string& name, const std::string& value, const std::string& help) {
  Texts(nullptr, name, value, help);
  parser_->values.back()->many = false;
  parser_->values.back()->take = [target](const std::string& text) {
    *target = text;
    return absl::OkStatus();
  };
}

void FlagSet::Integer(absl::optional<int64_t>* target, const std::string& name, const std::string& value, int64_t least,
                      int64_t most, const std::string& help) {
  Texts(nullptr, name, value, help);
  parser_->values.back()->many = false;
  parser_->values.back()->take = [=, flag = flags_.back().name](const std::string& text) {
    int64_t number = 0;
    if (!absl::SimpleAtoi(text, &number) || number < least || number > most) {
      return UsageError(absl::StrCat("--", flag, " ", text, ": not a whole number from ", least, " to ", most));
    }
    *target = number;
    return absl::OkStatus();
  };
}

void FlagSet::Time(absl::optional<absl::Duration>* target, const std::string& name, const std::string& value,
                   const std::string& help) {
  Texts(nullptr, name, value, help);
  parser_->values.back()->many = false;
  parser_->values.back()->take = [=, flag = flags_.back().name](const std::string& text) {
    absl::Duration duration;
    if (!ReadDuration(text, &duration)) {
      return UsageError(absl::StrCat("--", flag, " ", text, ": not a time above zero"), "e.g. 90s, 10m, 2h, 7d");
    }
    *target = duration;
    return absl::OkStatus();
  };
}

void FlagSet::Switch(bool* target, const std::string& name, const std::string& help) {
  flags_.push_back(InfoOf(name, "", help));
  parser_->values.push_back(nullptr);
  parser_->app.add_flag(Spelling(flags_.back()), *target);
}

void FlagSet::Arguments(std::vector<std::string>* target, const std::string& name, size_t least, size_t most) {
  arguments_ = target;
  arguments_name_ = name;
  least_ = least;
  most_ = most;
}

void FlagSet::Rest(std::vector<std::string>* target, const std::string& name) {
  Arguments(target, name, 1, SIZE_MAX);
  rest_ = true;
}

absl::Status FlagSet::Parse(const std::vector<std::string>& pieces) {
  const size_t head = HeadEnd(flags_, pieces, rest_);
  // CLI11 takes them last first.
  std::vector<std::string> reversed(pieces.rend() - static_cast<ptrdiff_t>(head), pieces.rend());
  try {
    parser_->app.parse(reversed);
  } catch (const CLI::ArgumentMismatch&) {
    return UsageError(absl::StrCat(pieces[head - 1], " needs a value"), Usage());
  } catch (const CLI::ParseError& error) {
    return UsageError(error.what(), Usage());
  }
  std::vector<std::string> words;
  for (const std::string& piece : parser_->app.remaining()) {
    if (LooksLikeFlag(piece)) return Unknown(piece);
    words.push_back(piece);
  }
  for (size_t i = 0; i < flags_.size(); ++i) {
    const Parser::Value* value = parser_->values[i].get();
    if (value == nullptr || value->option->count() == 0) continue;
    if (value->given.size() > 1 && !value->many) {
      return UsageError(absl::StrCat("--", flags_[i].name, " is given ", value->given.size(), " times"),
                        "give it once");
    }
    for (const std::string& text : value->given) {
      for (const FlagInfo& other : flags_) {
        if (Matches(other, text)) return UsageError(absl::StrCat("--", flags_[i].name, " needs a value"), Usage());
      }
      if (absl::Status taken = value->take(text); !taken.ok()) return taken;
    }
  }
  words.insert(words.end(),
               pieces.begin() + static_cast<ptrdiff_t>(
                                    std::min(pieces.size(), head + (head < pieces.size() && pieces[head] == "--"))),
               pieces.end());
  if (arguments_ != nullptr) *arguments_ = words;
  if (arguments_ == nullptr && !words.empty()) {
    return UsageError(absl::StrCat(command_, " takes no argument, got \"", words[0], "\""), Usage());
  }
  return CheckArguments();
}

absl::Status FlagSet::CheckArguments() const {
  if (arguments_ == nullptr) return absl::OkStatus();
  if (arguments_->size() < least_) {
    return UsageError(absl::StrCat(command_, " needs ", arguments_name_,
                                   least_ > 1 && !absl::StrContains(arguments_name_, ' ')
                                       ? absl::StrCat(", at least ", least_, " of them")
                                       : ""),
                      Usage());
  }
  if (arguments_->size() > most_) {
    return UsageError(absl::StrCat(command_, " takes ", most_ == 1 ? "one" : absl::StrCat("at most ", most_), " ",
                                   arguments_name_, ", got ", arguments_->size()),
                      Usage());
  }
  for (const std::string& argument : *arguments_) {
    if (argument.empty() && !rest_) return UsageError(absl::StrCat("an empty ", arguments_name_), Usage());
  }
  return absl::OkStatus();
}

absl::Status FlagSet::Unknown(const std::string& piece) const {
  const std::string name = piece.substr(0, piece.find('='));
  std::vector<std::string> known;
  for (const FlagInfo& flag : flags_) known.push_back(absl::StrCat("--", flag.name));
  const std::string nearest = NearestName(name, known);
  return UsageError(absl::StrCat(name, ": unknown flag of ", command_,
                                 nearest.empty() ? "" : absl::StrCat("; did you mean ", nearest, "?")),
                    Usage());
}

std::string FlagSet::Usage() const { return absl::StrCat("see: ", command_, " --help"); }

std::string FlagSet::ArgumentsText() const {
  if (arguments_ == nullptr) return "";
  if (rest_) return absl::StrCat("[--] ", arguments_name_, "…");
  // Of several words each is one argument, and the last one repeats.
  const std::vector<std::string> words = absl::StrSplit(arguments_name_, ' ');
  std::string out;
  for (size_t i = 0; i < least_; ++i) absl::StrAppend(&out, i ? " " : "", words[std::min(i, words.size() - 1)]);
  if (most_ > least_) absl::StrAppend(&out, out.empty() ? "" : " ", "[", words.back(), most_ > least_ + 1 ? "…]" : "]");
  return out;
}

std::string FlagSet::FlagsText() const {
  std::vector<std::pair<std::string, std::string>> rows;
  size_t width = 0;
  for (const FlagInfo& flag : flags_) {
    rows.emplace_back(absl::StrCat(flag.letter.empty() ? "    " : absl::StrCat("-", flag.letter, ", "), "--", flag.name,
                                   flag.value.empty() ? "" : absl::StrCat(" ", flag.value)),
                      flag.help);
    width = std::max(width, Width(rows.back().first));
  }
  std::string out;
  for (const auto& [flag, help] : rows) {
    absl::StrAppend(&out, "  ", flag, std::string(width - Width(flag) + 2, ' '), help, "\n");
  }
  return out;
}

}  // namespace muster::cli
