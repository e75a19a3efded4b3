import type { Config } from 'caseworker'

type Role = Pick<Config['roles'][number], 'shortId' | 'permissions'>

/** Whether somebody who is given this role signs in anew, as some who make links may do less (`isAboveWritersOfUsers` of the API). */
export function beginsAnew(roles: readonly Role[], shortId: string): boolean {
  const given = roles.find(each => each.shortId === shortId)?.permissions ?? []
  return roles.some(
    ({ permissions }) => permissions.includes('user:write') && given.some(each => !permissions.includes(each)),
  )
}
