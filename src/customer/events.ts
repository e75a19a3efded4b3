import * as z from 'zod'
import {
  listRecordChanges,
  type RecordAfter,
  readRecordBefore,
  type StoredRecordBefore,
} from '../customer-record/append-events.ts'
import { readRecord, selectRecords } from '../customer-record/rows.ts'
import { FieldChange } from '../event/changes.ts'
import { declareEvents, listEventKeys, toWholeReferent } from '../event/noun-events.ts'
import type { StoredEvent } from '../event/stored-event.ts'
import { Id } from '../http/shapes.ts'
import { Customer } from './schema.ts'
import { viewCustomer } from './view.ts'

const RecordEventData = z
  .object({
    id: Id.describe('The id of the record.'),
    record: Customer.nullable().describe(
      'The customer as it is when the event is read; null once the customer is erased.',
    ),
    version: z.int().describe('The version of the record after the event.'),
    changes: z
      .array(FieldChange)
      .describe('What the event changed. What kept its value is left out; so is all once the customer is erased.'),
  })
  .describe('The customer, and what changed.')

/** About the customer who stays. */
const MergeEventData = z
  .object({
    id: Id.describe('The id of the record that stays.'),
    merged: Id.describe('The id of the record that was merged into it. From then on it leads to the other.'),
    record: RecordEventData.shape.record,
    version: RecordEventData.shape.version,
    changes: z
      .array(FieldChange)
      .describe('What the record that stays took over. Nothing any more once the customer is erased.'),
  })
  .describe('The customer who stays, and who was merged into them. Events of its processes follow.')

const ErasureEventData = z
  .object({ id: Id.describe('The id that the record had.') })
  .describe('The customer that was erased. Processes and messages may still be on their way out.')

interface StoredRecordEvent extends StoredEvent {
  after: RecordAfter
  before: StoredRecordBefore
}

const isChange = (event: StoredEvent): event is StoredRecordEvent => event.type !== 'record.erased'

/** Without the customer, and without changes, once they are erased. */
const viewChange = ({ after, before: stored }: StoredRecordEvent, customer: Customer | null) => {
  const before = readRecordBefore(stored)
  return {
    id: after.id,
    ...(after.merged === undefined ? {} : { merged: after.merged }),
    record: customer,
    version: before.version + 1,
    changes: listRecordChanges(after, before),
  }
}

/** The customer as it is when the event is read, and what the event changed (appended by `customer-record/append-events.ts`). */
export const customerEvents = declareEvents({
  data: { 'record.updated': RecordEventData, 'record.merged': MergeEventData, 'record.erased': ErasureEventData },
  async show(scope, events, bytesMax) {
    const changes = events.filter(isChange)
    const [rows] =
      changes.length === 0 ? [[]] : await scope.db.read(selectRecords(scope, listEventKeys(changes), bytesMax))
    const found = new Map(rows.map(({ rid, ...rest }) => [rid, rest]))
    return new Map(
      events.map(event => {
        if (!isChange(event)) return [event.sequence, toWholeReferent({ id: (event.after as { id: string }).id })]
        const { bytes, row } = found.get(Number(event.key)) ?? { bytes: 0, row: '' }
        if (row === null) return [event.sequence, { bytes, shown: 'not read' }]
        const record = row === '' ? null : viewCustomer(readRecord({ row }))
        return [event.sequence, { bytes: row.length, shown: viewChange(event, record) }]
      }),
    )
  },
})
