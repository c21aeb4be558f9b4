#include "client/cli/receipt_verbs.h"

#include "absl/strings/str_cat.h"
#include "client/cli/exit_code.h"
#include "client/cli/names.h"
#include "client/cli/output.h"
#include "client/cli/receipt_export.h"
#include "client/cli/receipt_view.h"

namespace muster::cli {
namespace {

constexpr char kReceiptsWayOut[] = "receipts there are: muster get receipts";

class CompareCommand final : public Command {
 public:
  void Declare(FlagSet& flags) override { flags.Arguments(&ids_, "ID", 2, 2); }
  absl::StatusOr<int> Run(Context& context) override {
    v1::CompareReceiptsRequest request;
    request.set_left(ids_[0]);
    request.set_right(ids_[1]);
    const absl::StatusOr<v1::CompareReceiptsResponse> answer = context.coordinator().Compare(request);
    if (!answer.ok())
      return absl::IsNotFound(answer.status()) ? WithWayOut(answer.status(), kReceiptsWayOut) : answer.status();
    if (ForPrograms(context.format)) {
      PrintDocument(context.out, context.format, *answer);
    } else {
      PrintComparison(context.out, *answer, context.wide());
    }
    return kExitOk;
  }

 private:
  std::vector<std::string> ids_;
};

class AnnotateCommand final : public Command {
 public:
  void Declare(FlagSet& flags) override { flags.Arguments(&words_, "ID KEY=VALUE", 2, 65); }
  absl::StatusOr<int> Run(Context& context) override {
    v1::AnnotateReceiptRequest request;
    request.set_id(words_[0]);
    for (size_t i = 1; i < words_.size(); ++i) {
      const size_t equals = words_[i].find('=');
      if (equals == std::string::npos || equals == 0) {
        return UsageError(absl::StrCat("\"", words_[i], "\": not KEY=VALUE"),
                          "e.g. tokens_per_second=41000; an empty value removes the key");
      }
      const std::string key = words_[i].substr(0, equals);
      if (request.annotations().contains(key)) return UsageError(absl::StrCat("key \"", key, "\" is given twice"));
      (*request.mutable_annotations())[key] = words_[i].substr(equals + 1);
    }
    const absl::StatusOr<v1::Receipt> receipt = context.coordinator().Annotate(request);
    if (!receipt.ok()) {
      return absl::IsNotFound(receipt.status()) ? WithWayOut(receipt.status(), kReceiptsWayOut) : receipt.status();
    }
    if (ForPrograms(context.format)) {
      PrintDocument(context.out, context.format, *receipt);
    } else {
      const size_t count = receipt->annotations().size();
      context.out.Line(absl::StrCat(receipt->id(), " annotated: ", count, count == 1 ? " entry" : " entries"));
    }
    return kExitOk;
  }

 private:
  std::vector<std::string> words_;
};

class ExportCommand final : public Command {
 public:
  void Declare(FlagSet& flags) override {
    flags.Arguments(&ids_, "ID", 1, 1);
    flags.Text(&as_, "as", "FORMAT", "markdown (default), nccl-tests or json");
  }
  absl::StatusOr<int> Run(Context& context) override {
    if (as_ != "markdown" && as_ != "nccl-tests" && as_ != "json") {
      return UsageError(absl::StrCat("--as ", as_, ": unknown format"), "formats: markdown, nccl-tests, json");
    }
    v1::GetReceiptRequest request;
    request.set_id(ids_[0]);
    const absl::StatusOr<v1::Receipt> receipt = context.coordinator().GetReceipt(request);
    if (!receipt.ok()) {
      return absl::IsNotFound(receipt.status()) ? WithWayOut(receipt.status(), kReceiptsWayOut) : receipt.status();
    }
    context.out.Raw(as_ == "json"         ? ToJson(*receipt)
                    : as_ == "nccl-tests" ? ReceiptAsNcclTests(*receipt)
                                          : ReceiptAsMarkdown(*receipt));
    return kExitOk;
  }

 private:
  std::vector<std::string> ids_;
  std::string as_ = "markdown";
};

}  // namespace

void AddReceiptVerbs(std::vector<CommandInfo>& commands) {
  commands.push_back({"compare", "receipts", "what changed from one self-test to another",
                      "muster compare receipts rcp-7f3c rcp-6e10", Make<CompareCommand>});
  commands.push_back({"annotate", "receipt", "add the job's half to a receipt: throughput, loss, versions",
                      "muster annotate receipt rcp-7f3a tokens_per_second=41000", Make<AnnotateCommand>});
  commands.push_back({"export", "receipt", "a receipt for a ticket (Markdown) or for scripts that read nccl-tests",
                      "muster export receipt rcp-7f3a --as nccl-tests", Make<ExportCommand>});
}

}  // namespace muster::cli
