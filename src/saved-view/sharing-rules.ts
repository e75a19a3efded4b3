import { AppError } from '../errors.ts'
import type { May, Permission } from '../permissions.ts'

const permissionError = (permission: Permission, message: string): AppError =>
  new AppError('permission_denied', [
    { message: `${message}: it lacks the permission ${permission}`, detail: { permission } },
  ])

export function requireToShare(may: May): void {
  if (!may('process:write')) throw permissionError('process:write', 'your role cannot share a view')
}

/**
 * Refuses to change or delete another user's view, unless the caller configures the team. Own views are one's own business, also
 * for a viewer: what is shared no more needs no permission to share.
 */
export function requireToChange(user: string, may: May, { createdBy }: { createdBy: string }): void {
  if (createdBy !== user && !may('config:write'))
    throw permissionError('config:write', "your role cannot change another's view")
}
