import { bulkCommand } from './bulk.ts'
import { callCommand } from './call.ts'
import type { Command } from './command/command.ts'
import { completionCommand } from './command/completion.ts'
import { loginCommand, logoutCommand, profilesCommand, whoamiCommand } from './connection.ts'
import { listenCommand } from './events.ts'
import { exportCommand } from './export.ts'
import { retryCommand, undoCommand } from './job-follow-ups.ts'
import { applyCommand } from './job-plan.ts'
import { cancelCommand, errorsCommand, jobsCommand } from './jobs.ts'
import { keysCommand } from './keys.ts'
import { messagesCommand, resendCommand, templatesCommand } from './messages.ts'
import { proceduresCommand } from './procedures.ts'
import {
  createCommand,
  deleteCommand,
  restoreCommand,
  revertCommand,
  updateCommand,
  upsertCommand,
} from './process-changes.ts'
import { countCommand, getCommand, historyCommand, listCommand, trashCommand } from './processes.ts'
import { recordsCommand } from './records.ts'
import { resultsCommand } from './results.ts'
import { sendCommand } from './send.ts'
import { typesCommand } from './types.ts'
import { watchCommand } from './watch.ts'
import { webhooksCommand } from './webhooks.ts'

/** Every command, in the order of the help. Dispatch, help, completion and the guide's table are made from it. */
export const COMMANDS: readonly Command[] = [
  listCommand,
  getCommand,
  countCommand,
  createCommand,
  updateCommand,
  upsertCommand,
  deleteCommand,
  restoreCommand,
  trashCommand,
  historyCommand,
  revertCommand,
  recordsCommand,
  bulkCommand,
  exportCommand,
  jobsCommand,
  watchCommand,
  errorsCommand,
  resultsCommand,
  retryCommand,
  applyCommand,
  undoCommand,
  cancelCommand,
  sendCommand,
  messagesCommand,
  resendCommand,
  templatesCommand,
  listenCommand,
  webhooksCommand,
  proceduresCommand,
  typesCommand,
  keysCommand,
  callCommand,
  loginCommand,
  logoutCommand,
  whoamiCommand,
  profilesCommand,
  completionCommand,
]
