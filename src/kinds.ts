import type { z } from 'zod'
import type { Step } from './background-job/kind.ts'
import type { ApiType } from './background-job/schema.ts'
import { MessageData } from './message/bulk/schema.ts'
import { runMessages } from './message/bulk/send.ts'
import type { Permission } from './permissions.ts'
import { runCreates } from './process/bulk/create.ts'
import { CreateData, DeleteData, UpdateData } from './process/bulk/schema.ts'
import { runUpdates } from './process/bulk/update.ts'

/** Everything that is known of a kind of entry. A new kind is one more of these. */
export interface Task {
  permission: Permission
  /** `apiData` of an entry that is scheduled by hand. */
  schema: z.ZodType
  /** Decides what becomes of the entries of a step, and commits that once. Entries of one `run` may share a step. */
  run: (step: Step) => Promise<void>
  /** Where the effects are outside of the database, a step should be small. */
  stepEntriesMax?: number
  /** Effects outside of the database can't be undone: a retry names the entry that it repeats. */
  retriesByName?: true
}

export const TASKS: Partial<Record<ApiType, Task>> = {
  PROCESS_UPDATE: { permission: 'process:write', schema: UpdateData, run: runUpdates },
  PROCESS_DELETE: { permission: 'process:delete', schema: DeleteData, run: runUpdates },
  // So few that they are sent well within the minute after which they count as lost.
  TEMPLATE_MESSAGE: {
    permission: 'message:send',
    schema: MessageData,
    run: runMessages,
    stepEntriesMax: 12,
    retriesByName: true,
  },
  PROCESS_CREATE: { permission: 'process:write', schema: CreateData, run: runCreates },
}

export const taskOf = (apiType: string): Task | undefined =>
  Object.hasOwn(TASKS, apiType) ? TASKS[apiType as ApiType] : undefined
