import { useConfig } from './me.ts'
import { formatUserName } from './user-name.ts'

/** The name of a user by the id, or by the username, as values of attributes may have it; a stranger's is what was given. */
export function useUserName(): (id: string) => string {
  const users = useConfig()?.users
  return id => {
    const user = users?.find(each => each.id === id || each.username === id)
    return user ? formatUserName(user) : id
  }
}
