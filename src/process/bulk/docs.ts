import { z } from 'zod'
import { JOBS_TAG, jobAccepted } from '../../background-job/docs.ts'
import type { RouteDocs } from '../../http/route-docs.ts'
import { Query } from '../query/schema.ts'
import { CreateProcess, UpdateProcess } from '../schema.ts'

const JSON_BODY = 'application/json'

const Item = z.looseObject({
  id: z.string().optional(),
  update: UpdateProcess.extend({ isDeleted: z.boolean().optional() }).optional(),
})
const BulkUpdate = z.union([
  z.strictObject({
    processes: z
      .array(Item)
      .min(1)
      .describe(
        "Each names a process by `id` (a UUID or a primary-key value) or by the primary key's short id, and says what changes in `update` or beside it. `isDeleted: true` deletes it.",
      ),
  }),
  z.strictObject({ where: Query, update: UpdateProcess }),
])
const Creations = z.array(CreateProcess.loose()).min(1)
export const bulkUpdateDocs: RouteDocs = {
  id: 'bulkUpdateProcesses',
  tag: JOBS_TAG,
  description: `Answers at once with a job whose entries are processed in order, each exactly once; see [bulk jobs](/docs/bulk).

A list of processes with their updates, or one update for everything that a query matches. A bad item becomes an INVALID entry; the request is refused only for what is wrong with it as a whole.`,
  answers: jobAccepted,
  errors: ['not_found'],
  body: { contentType: JSON_BODY, schema: BulkUpdate },
  example: { processes: [{ lead_id: 'LEAD-7', update: { data: { score: 85 } } }] },
}

export const bulkCreateDocs: RouteDocs = {
  id: 'bulkCreateProcesses',
  tag: JOBS_TAG,
  description: 'The same for new processes: a list of create bodies, in which the primary key may stand beside `data`.',
  answers: jobAccepted,
  errors: ['not_found'],
  body: { contentType: JSON_BODY, schema: z.union([Creations, z.strictObject({ processes: Creations })]) },
  example: { processes: [{ data: { lead_id: 'LEAD-9', city: 'Pune' } }] },
}
