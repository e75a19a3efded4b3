import { CaseworkerError } from '../client.ts'
import type { Session } from './command/command.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** What the user is called whose id a value is; any other value as it is. */
export type NameUsers = (value: unknown) => unknown

/** Users are loaded only where a value may be the id of one. Without the permission to read them, ids stay. */
export async function loadUserNames(
  { client, signal }: Pick<Session, 'client' | 'signal'>,
  values: readonly unknown[],
): Promise<NameUsers> {
  if (!values.some(value => typeof value === 'string' && UUID.test(value))) return value => value
  const users = await client.users.list({ signal }).catch((error: unknown) => {
    if (error instanceof CaseworkerError && error.is('permission_denied')) return []
    throw error
  })
  const names = new Map(users.map(({ id, displayName, username }) => [id, displayName || username]))
  return value => (typeof value === 'string' ? (names.get(value) ?? value) : value)
}
