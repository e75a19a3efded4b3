import * as z from 'zod'
import { JOBS_TAG, jobAccepted, jobAcceptedTo } from '../../background-job/docs.ts'
import type { RouteDocs } from '../../http/openapi/route-docs.ts'
import { Query } from '../query/schema.ts'
import { CreateProcess, UpdateProcess } from '../schema.ts'

const JSON_BODY = 'application/json'

const LINES = z.string().describe('One item in each line, as in a list of JSON. A malformed line is an INVALID entry.')
const TABLE = z
  .string()
  .describe(
    'The first line names `id` (of an update), fields, attributes by their short ids, and attributes of the customer as `record.phone_number`. An empty cell changes nothing.',
  )

/** Fields of a request whose query decides what is changed, or who is written to. */
export const Confirmations = {
  all: z
    .boolean()
    .optional()
    .meta({
      description: 'Must be true if the query matches every process, as `{}` does. Otherwise such a query is refused.',
      examples: [true],
    }),
  allowUndeclared: z
    .boolean()
    .optional()
    .meta({
      description:
        'Must be true if the request names an attribute that the procedure does not declare. Otherwise it is refused, because such a name is often a mistyped one. A strict procedure refuses it in any case.',
      examples: [true],
    }),
}

const isDeleted = z
  .boolean()
  .optional()
  .meta({
    description:
      '`true` deletes the process, and takes no other change. `false` by itself restores a deleted one, and leaves another as it is; not with a `where`.',
    examples: [true],
  })
const UpdateOrDelete = UpdateProcess.extend({ isDeleted })

const Item = z.looseObject({
  id: z
    .string()
    .optional()
    .meta({ description: 'The id of the process, or the value of its primary key.', examples: ['LEAD-000001'] }),
  update: UpdateOrDelete.optional().describe('The fields to change.'),
})
const BulkUpdate = z.union([
  z.strictObject({
    processes: z
      .array(Item)
      .min(1)
      .describe(
        "Each item names a process by `id` (a UUID or a primary-key value) or by the primary key's short id. The fields to change are in `update` or next to the identifier. `isDeleted: true` deletes the process, `isDeleted: false` by itself restores a deleted one.",
      ),
  }),
  z.strictObject({ where: Query, update: UpdateOrDelete.describe('The fields to change.'), ...Confirmations }),
])
const Creations = z.array(CreateProcess.loose()).min(1).describe('The processes to create.')
const Upserts = z.array(CreateProcess.loose()).min(1).describe('The processes to create or update.')

const NEW_LINES = {
  'application/x-ndjson': { schema: LINES, example: '{"data": {"lead_id": "LEAD-9", "city": "Pune"}}\n' },
  'text/csv': { schema: TABLE, example: 'lead_id,city\nLEAD-9,Pune\n' },
}

export const bulkProcessDocs = {
  bulkUpdateProcesses: {
    tag: JOBS_TAG,
    description: `Returns a job whose entries are processed in order, each exactly once; see [bulk jobs](/docs/bulk).

The body is a list of processes with their updates, or one update for all processes that match a query; those that are not found at once are [found after the acceptance](/docs/bulk#update-all-that-match). A malformed item becomes an INVALID entry; the others are processed.`,
    responses: jobAccepted,
    errors: ['not_found'],
    body: {
      contentType: JSON_BODY,
      schema: BulkUpdate,
      others: {
        'application/x-ndjson': {
          schema: LINES,
          example: '{"lead_id": "LEAD-7", "update": {"data": {"score": 85}}}\n',
        },
        'text/csv': { schema: TABLE, example: 'lead_id,score\nLEAD-7,85\n' },
      },
    },
    example: { processes: [{ lead_id: 'LEAD-7', update: { data: { score: 85 } } }] },
  },
  bulkCreateProcesses: {
    tag: JOBS_TAG,
    description:
      'A list of create bodies. The primary key may also be given next to `data`. Returns a job; see [bulk jobs](/docs/bulk).',
    responses: jobAcceptedTo('Create 1 process of Lead'),
    errors: ['not_found'],
    body: {
      contentType: JSON_BODY,
      schema: z.union([Creations, z.strictObject({ processes: Creations })]),
      others: NEW_LINES,
    },
    example: { processes: [{ data: { lead_id: 'LEAD-9', city: 'Pune' } }] },
  },
  bulkUpsertProcesses: {
    tag: JOBS_TAG,
    description:
      'A list of create bodies. Each creates a process, or updates the one that has its primary key, as `PUT` on the collection does; the result of its entry says which (`created`). The primary key may also be given next to `data`. Of two items with one key the first creates, the second updates. Refused if the procedure has no primary key. Returns a job; see [bulk jobs](/docs/bulk#create-or-update).',
    responses: jobAcceptedTo('Create or change 1 process of Lead'),
    errors: ['not_found'],
    body: {
      contentType: JSON_BODY,
      schema: z.union([Upserts, z.strictObject({ processes: Upserts })]),
      others: NEW_LINES,
    },
    example: { processes: [{ data: { lead_id: 'LEAD-9', city: 'Pune' } }] },
  },
} satisfies Record<string, RouteDocs>
