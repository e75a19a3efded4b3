import * as z from 'zod'
import { TOMBSTONE_MS } from '../../customer-record/tombstone-retention.ts'
import { DAY_MS, HOUR_MS } from '../../time-units.ts'

/** How long things are kept. */
export interface ErasureRetention {
  historyMs: number
  jobMs: number
  messageMs: number
  trashMs: number
  mediaMs: number
}

/** What an erasure leaves, and why it is not found. */
const REMAINS = {
  record:
    'the record, with its numbers and addresses, and what jobs and deliveries hold of it: the database was full. Repeat the request once there is room',
  process_data:
    'attributes of the processes that are not declared personal; without `everywhere`, all. Remove them by updates, or purge the processes',
  history:
    'former values of attributes that are not declared personal; without `everywhere`, of all. And those of processes that had another customer by then, or had left the trash',
  trash: 'deleted processes, with attributes that are not declared personal; without `everywhere`, with all',
  job_entries:
    'entries and results of jobs that hold something of the person and name neither them nor a process of theirs',
  message_traces: 'that there were messages: status, template and time',
  messages_to_other_numbers:
    'messages without a process to a number that the record no longer had; without `everywhere`, messages of a deleted process to a number of its own',
  idempotency_records: 'responses that are kept for repeated requests with an idempotency key',
  files: 'uploaded files: they belong to no customer',
  saved_views: 'saved views that filter by something else of the person, a name for example',
  search_index:
    'words in the index of the search, which lead to no process any more: they go when the index merges itself',
  opt_out: 'that the number asked not to be written to: the number alone',
  tombstone: 'a keyed hash of each number, by which what arrives late is written without anything of the person',
  backups:
    'backups of the database: after one is restored, who was erased since is erased again before anybody reads it',
} as const
type Remains = keyof typeof REMAINS

export const RemainingData = z
  .object({
    what: z.enum(Object.keys(REMAINS) as [Remains, ...Remains[]]).describe('What it is.'),
    description: z.string().describe('The same, in words.'),
    until: z
      .int()
      .nullable()
      .describe(
        'When the last of it is removed, in epoch milliseconds; null: it stays until you remove it, or no time can be told.',
      ),
  })
  .meta({ id: 'RemainingData' })
export type RemainingData = z.infer<typeof RemainingData>

const IDEMPOTENCY_MS = 24 * HOUR_MS
/** D1 keeps what its Time Travel goes back to. */
const BACKUP_MS = 30 * DAY_MS

/** What remains of a customer who was erased, and until when. `isRecordKept`: the database was full. */
export function listRemains(
  { historyMs, jobMs, messageMs, trashMs, mediaMs }: ErasureRetention,
  erasedAt: number,
  isRecordKept: boolean,
): RemainingData[] {
  const until: Partial<Record<Remains, number | null>> = {
    ...(isRecordKept ? { record: null } : {}),
    process_data: null,
    history: historyMs,
    trash: trashMs,
    job_entries: jobMs,
    message_traces: messageMs,
    messages_to_other_numbers: messageMs,
    idempotency_records: IDEMPOTENCY_MS,
    files: mediaMs,
    saved_views: null,
    search_index: null,
    opt_out: null,
    tombstone: TOMBSTONE_MS,
    backups: BACKUP_MS,
  }
  return Object.entries(until).map(([what, ms]) => ({
    what: what as Remains,
    description: REMAINS[what as Remains],
    until: ms === null ? null : erasedAt + ms,
  }))
}
