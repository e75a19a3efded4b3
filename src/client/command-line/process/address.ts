import type { Address, Procedure } from '../../client.ts'
import { UsageError } from '../command/usage-error.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const isProcessId = (name: string): boolean => UUID.test(name)

/** A process by the name that was given: its id, or its primary key. */
export function addressOf({ primaryKey, shortId }: Procedure, name: string): Address {
  if (isProcessId(name)) return name
  if (primaryKey === null) throw new UsageError(`${shortId} has no primary key: name a process by its id`)
  return { [primaryKey]: name }
}
