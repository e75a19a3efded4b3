import type { Job, Procedure } from '../../client.ts'
import type { Session } from '../command/command.ts'
import type { ImportMode } from './columns.ts'

type Items = AsyncIterable<Record<string, unknown>>

/** Sends the items as jobs of the mode's kind, as they are read. */
export function sendItems(
  { client, signal }: Session,
  procedure: Procedure,
  mode: ImportMode,
  items: Items,
  idempotencyKey: string | undefined,
): AsyncGenerator<Job, void, undefined> {
  const processes = client.processes(procedure.shortId)
  const options = { signal, idempotencyKey }
  return mode === 'update' ? processes.bulkUpdateInJobs(items, options) : processes.bulkCreateInJobs(items, options)
}

/** The update of a process that exists, made of the item that should have created it. The customer stays as it is. */
export function updateOfItem({ primaryKey }: Procedure, item: Record<string, unknown>): Record<string, unknown> {
  const { data, record: _, ...fields } = item
  const name = primaryKey ?? ''
  const { [name]: inData, ...attributes } = (data ?? {}) as Record<string, unknown>
  const { [name]: beside, ...others } = fields
  return { [name]: beside ?? inData, update: { ...others, data: attributes } }
}
