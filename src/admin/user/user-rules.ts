import type { Config } from 'caseworker'

type Role = Pick<Config['roles'][number], 'shortId' | 'permissions'>

/**
 * Returns whether a user who gets this role has to sign in again, because some who make links may do less
 * (`isAboveWritersOfUsers` of the API).
 */
export function beginsAnew(roles: readonly Role[], shortId: string): boolean {
  const given = roles.find(each => each.shortId === shortId)?.permissions ?? []
  return roles.some(
    ({ permissions }) => permissions.includes('user:write') && given.some(each => !permissions.includes(each)),
  )
}

/** An offset as people write it: "UTC+05:30" of `+0530`; the name of a zone stays. */
export const formatZone = (zone: string): string => zone.replace(/^([+-]\d{2}):?(\d{2})$/, 'UTC$1:$2')
