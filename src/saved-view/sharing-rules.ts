import { AppError } from '../errors.ts'
import type { May, Permission } from '../permissions.ts'

interface Sharable {
  createdBy: string
  isShared: boolean
}

const permissionError = (permission: Permission, message: string): AppError =>
  new AppError('permission_denied', [
    { message: `${message}: it lacks the permission ${permission}`, detail: { permission } },
  ])

export function requireToShare(may: May): void {
  if (!may('process:write')) throw permissionError('process:write', 'your role cannot share a view')
}

/** Refuses to change another user's view. Own views are one's own business, also for a viewer; a shared one can also be changed by whoever configures the team. */
export function requireToChange(user: string, may: May, { createdBy, isShared }: Sharable): void {
  if (may('config:write')) return
  if (createdBy !== user) throw permissionError('config:write', "your role cannot change another's view")
  if (isShared) requireToShare(may)
}
