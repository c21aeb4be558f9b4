#include "client/cli/registry.h"

#include "client/cli/compare_placements.h"
#include "client/cli/completion.h"
#include "client/cli/describe.h"
#include "client/cli/exec_command.h"
#include "client/cli/explain.h"
#include "client/cli/get.h"
#include "client/cli/groups.h"
#include "client/cli/help.h"
#include "client/cli/job_verbs.h"
#include "client/cli/node_verbs.h"
#include "client/cli/plan.h"
#include "client/cli/receipt_verbs.h"
#include "client/cli/selftest_verbs.h"
#include "client/cli/simulate.h"
#include "client/cli/submit.h"
#include "client/cli/version.h"

namespace muster::cli {

std::vector<CommandInfo> AllCommands() {
  std::vector<CommandInfo> commands;
  AddSubmitCommand(commands);
  AddPlanCommand(commands);
  AddSimulateCommand(commands);
  AddGetCommands(commands);
  AddDescribeCommands(commands);
  AddJobVerbs(commands);
  AddExplainCommand(commands);
  AddGroupsCommand(commands);
  AddExecCommand(commands);
  AddNodeVerbs(commands);
  AddSelfTestVerbs(commands);
  AddReceiptVerbs(commands);
  AddComparePlacements(commands);
  AddCompletionCommand(commands);
  AddHelpCommands(commands);
  AddVersionCommand(commands);
  return commands;
}

}  // namespace muster::cli
