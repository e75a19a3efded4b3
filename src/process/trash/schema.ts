import * as z from 'zod'
import { cursorQuery, limitQuery } from '../../http/request/paging.ts'
import { Id, Time } from '../../http/shapes.ts'
import { Process } from '../schema.ts'

const PAGE_LIMIT_DEFAULT = 20

export const TrashQuery = z.strictObject({
  cursor: cursorQuery(60, 'mi4x1k2p.6h3k'),
  limit: limitQuery(PAGE_LIMIT_DEFAULT),
})
export type TrashQuery = z.output<typeof TrashQuery>

export const DeletedProcess = Process.extend({
  record: z
    .object({ id: Id.describe('The id of the customer.') })
    .nullable()
    .describe('The customer that the process was for, by the id only.'),
  deletedAt: Time.describe('When it was deleted, in epoch milliseconds.'),
  deletedBy: Id.nullable().describe('The id of the user who deleted it.'),
  keptUntil: Time.describe(
    'Until when it can be restored, in epoch milliseconds: it is removed for good in the day after that.',
  ),
}).meta({ id: 'DeletedProcess' })
export type DeletedProcess = z.infer<typeof DeletedProcess>
