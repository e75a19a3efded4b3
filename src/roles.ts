import { AppError } from './errors.ts'
import { type May, PERMISSIONS, type Permission } from './permissions.ts'

interface Role {
  id: string
  shortId: string
  name: string
  permissions: readonly Permission[]
}

const reading = ['process:read', 'job:read', 'message:read', 'user:read', 'config:read'] as const

/** The built-in roles. Their ids are the same in every team and never change. */
export const ROLES = [
  { id: '0198a000-0000-7000-8000-000000000001', shortId: 'admin', name: 'Admin', permissions: PERMISSIONS },
  {
    id: '0198a000-0000-7000-8000-000000000002',
    shortId: 'manager',
    name: 'Manager',
    permissions: [
      ...reading,
      'process:write',
      'process:delete',
      'process:override',
      'job:write',
      'message:send',
      'user:write',
    ],
  },
  {
    id: '0198a000-0000-7000-8000-000000000003',
    shortId: 'agent',
    name: 'Agent',
    permissions: [...reading, 'process:write', 'message:send'],
  },
  { id: '0198a000-0000-7000-8000-000000000004', shortId: 'viewer', name: 'Viewer', permissions: reading },
] as const satisfies readonly Role[]

export type RoleShortId = (typeof ROLES)[number]['shortId']
export const ROLE_SHORT_IDS = ROLES.map(role => role.shortId)

const byShortId = new Map<string, Role>(ROLES.map(role => [role.shortId, role]))

/** Returns a role, for a key whose role is one of these. */
export function getRole(shortId: string): (typeof ROLES)[number] {
  const role = ROLES.find(each => each.shortId === shortId)
  if (!role) throw new Error(`no role ${shortId}`)
  return role
}

export const getRoleId = (shortId: string): string => byShortId.get(shortId)?.id ?? ''
export const allows = (shortId: string, permission: Permission): boolean =>
  byShortId.get(shortId)?.permissions.includes(permission) ?? false

/** Tells whether some users who may write users may do less than this role: ways in that they have made for a user must not become ways into it. */
export const isAboveWritersOfUsers = (shortId: string): boolean =>
  ROLES.some(
    ({ permissions }: Role) =>
      permissions.includes('user:write') &&
      byShortId.get(shortId)?.permissions.some(each => !permissions.includes(each)) === true,
  )

/** Lists the roles that have every permission which a caller has. */
export const listRolesThatMay = (may: May): RoleShortId[] =>
  ROLES.filter(({ permissions }: Role) => PERMISSIONS.every(each => !may(each) || permissions.includes(each))).map(
    ({ shortId }) => shortId,
  )

/** Checks a permission that depends on the contents of a request, at `path` of it. */
export function requirePermission(
  permission: Permission,
  may: May,
  path?: string,
  message = `your role lacks the permission ${permission}`,
): void {
  if (may(permission)) return
  throw new AppError('permission_denied', [
    { message, ...(path === undefined ? {} : { path }), detail: { permission } },
  ])
}

/** Refuses to grant a role that has a permission which the caller's own role lacks. */
export function requireGrantable(shortId: string, may: May, path = '/body/role'): void {
  const permission = byShortId.get(shortId)?.permissions.find(each => !may(each))
  if (permission === undefined) return
  const message = `your role cannot give the role ${shortId}: it lacks the permission ${permission}`
  throw new AppError('permission_denied', [{ message, path, detail: { permission } }])
}
