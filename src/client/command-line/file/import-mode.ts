import type { Job, Procedure } from '../../client.ts'
import type { ImportMode } from '../../import-file/columns.ts'
import type { Session } from '../command/command.ts'

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
