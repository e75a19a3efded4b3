import type { Permission } from '../permissions.ts'
import { allows } from '../roles.ts'
import type { Owner } from './store.ts'

/** Returns the reason why a token has ended. */
export function findEnd(
  { revokedAt, expiresAt, isActive }: Owner,
  now: number,
): 'revoked' | 'expired' | 'inactive' | undefined {
  if (revokedAt !== null && revokedAt <= now) return 'revoked'
  if (expiresAt !== null && expiresAt <= now) return 'expired'
  return isActive ? undefined : 'inactive'
}

/** Returns the role that lacks a permission. A key needs it of its own role and of its user's: a user who becomes a viewer has no key of an admin. */
export function findLackingRole({ role, userRole }: Owner, permission: Permission): string | undefined {
  if (!allows(role, permission)) return `the role ${role}`
  return allows(userRole, permission) ? undefined : `the role ${userRole} of its user`
}
