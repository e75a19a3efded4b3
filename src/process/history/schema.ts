import * as z from 'zod'
import { EventAuthor } from '../../event/author.ts'
import { cursorQuery, limitQuery } from '../../http/request/paging.ts'
import { Time } from '../../http/shapes.ts'
import { MomentQuery, VERSION_MAX } from './moment.ts'

const PAGE_LIMIT_DEFAULT = 20

export const HISTORY_TYPES = [
  'process.created',
  'process.updated',
  'process.deleted',
  'process.restored',
  'record.updated',
] as const

export const HistoryQuery = z.strictObject({
  cursor: cursorQuery(80, '2b.7.mi4x.'),
  limit: limitQuery(PAGE_LIMIT_DEFAULT),
})
export type HistoryQuery = z.output<typeof HistoryQuery>

export const SnapshotQuery = z.strictObject({
  asOf: MomentQuery.exactOptional(),
  blame: z
    .enum(['true', 'false'])
    .exactOptional()
    .meta({
      description: '`true` adds `_meta.blame`: who gave each field its value, when, and with which version.',
      examples: ['true'],
    }),
})

const Version = z.int().min(1).max(VERSION_MAX)

export const RevertProcess = z.strictObject({
  version: Version.meta({ description: 'The version whose values the process is to have again.', examples: [1] }),
  force: z
    .boolean()
    .exactOptional()
    .meta({
      description:
        'Whether the process may go to its former state against the allowed moves. It needs the permission `process:override`, and the history says so.',
      examples: [true],
    }),
})

export const Blame = z
  .object({
    version: z
      .int()
      .describe(
        'The version of the process that had it first. A change of the customer makes none: it is the one that the process had then.',
      ),
    at: Time.describe('When it was set, in epoch milliseconds.'),
    by: EventAuthor,
  })
  .meta({ id: 'Blame', description: 'The change that gave a field its value.' })

const HistoryChange = z.object({
  field: z
    .string()
    .describe(
      '`status`, `state`, `nextActionAt`, `assignedTo`, `record`, or `data.` and the short id of an attribute; of a change of the customer `record.` and the name of an attribute.',
    ),
  from: z.unknown().describe('The value before; null if there was none.'),
  to: z.unknown().describe('The value after; null if it was removed.'),
})

export type Blame = z.infer<typeof Blame>

/** `_meta.blame` of a process. */
export const BlameByField = z
  .record(z.string(), Blame.nullable())
  .optional()
  .describe(
    'Who gave each field its value: by `status`, `state`, `nextActionAt`, `assignedTo`, `record`, `data.` and the short id of an attribute, and `record.` and the name of one of the customer. Null: it is not known, because it was before what is kept of the history, or the customer was made with it for another process. Absent unless it was asked for.',
  )
export type BlameByField = NonNullable<z.infer<typeof BlameByField>>

export const ProcessHistoryEntry = z
  .object({
    version: z.int().describe('The version of the process after the change.'),
    type: z.enum(HISTORY_TYPES).describe('What happened. `record.updated` is a change of its customer.'),
    at: Time.describe('When it happened, in epoch milliseconds.'),
    by: EventAuthor,
    changes: z
      .array(HistoryChange)
      .describe('What changed. What kept its value is left out; of a new process all that it was created with.'),
    forced: z
      .literal(true)
      .exactOptional()
      .describe('The change went against the allowed moves, by a revert with `force`. Absent otherwise.'),
    sequence: z.int().describe("The number of the change in the team's log."),
  })
  .meta({ id: 'ProcessHistoryEntry' })
export type ProcessHistoryEntry = z.infer<typeof ProcessHistoryEntry>
