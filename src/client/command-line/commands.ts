import type { Command } from './command/command.ts'
import { completionCommand } from './command/completion-command.ts'
import { loginCommand, logoutCommand } from './connection/login.ts'
import { profilesCommand } from './connection/profiles-command.ts'
import { whoamiCommand } from './connection/whoami.ts'
import { listenCommand } from './event/listen.ts'
import { webhooksCommand } from './event/webhooks.ts'
import { bulkCommand } from './file/bulk.ts'
import { cancelCommand, retryCommand } from './job/cancel.ts'
import { jobsCommand } from './job/jobs.ts'
import { resultsCommand } from './job/results.ts'
import { watchCommand } from './job/watch.ts'
import { messagesCommand, resendCommand } from './message/messages.ts'
import { sendCommand } from './message/send.ts'
import { templatesCommand } from './message/templates.ts'
import { countCommand } from './process/count.ts'
import { createCommand, upsertCommand } from './process/create.ts'
import { deleteCommand } from './process/delete.ts'
import { exportCommand } from './process/export.ts'
import { getCommand } from './process/get.ts'
import { historyCommand, revertCommand } from './process/history.ts'
import { listCommand } from './process/list.ts'
import { restoreCommand } from './process/restore.ts'
import { trashCommand } from './process/trash.ts'
import { updateCommand } from './process/update.ts'
import { recordsCommand } from './record/records.ts'
import { callCommand } from './team/call.ts'
import { proceduresCommand } from './team/procedures.ts'
import { typesCommand } from './team/types.ts'

/** Every command, in the order of the help. Dispatch, help, completion and the guide's table are made from it. */
export const COMMANDS: readonly Command[] = [
  ...[
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
  ],
  ...[recordsCommand],
  ...[bulkCommand, exportCommand],
  ...[jobsCommand, watchCommand, resultsCommand, retryCommand, cancelCommand],
  ...[sendCommand, messagesCommand, resendCommand, templatesCommand],
  ...[listenCommand, webhooksCommand],
  ...[proceduresCommand, typesCommand, callCommand],
  ...[loginCommand, logoutCommand, whoamiCommand, profilesCommand, completionCommand],
]
