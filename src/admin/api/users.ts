import type { Config } from 'caseworker'
import { unturned } from '../parts/text/written-by-others.ts'
import { useConfig } from './me.ts'

/** What people call a user: somebody who was added without a name has only the username. */
export const nameOfUser = ({
  displayName,
  username,
}: Pick<Config['users'][number], 'displayName' | 'username'>): string => unturned(displayName || username)

/** The name of a user by the id, or by the username, as values of attributes may have it; a stranger's is what was given. */
export function useUserName(): (id: string) => string {
  const users = useConfig()?.users
  return id => {
    const user = users?.find(each => each.id === id || each.username === id)
    return user ? nameOfUser(user) : id
  }
}
