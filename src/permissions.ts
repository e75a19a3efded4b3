/** All permissions of roles. Each route names the one that it needs. */
export const PERMISSIONS = [
  'process:read',
  'process:write',
  'process:delete',
  'process:override',
  'process:purge',
  'job:read',
  'job:write',
  'message:read',
  'message:send',
  'user:read',
  'user:write',
  'config:read',
  'config:write',
  'key:read',
  'key:write',
  'webhook:read',
  'webhook:write',
] as const
export type Permission = (typeof PERMISSIONS)[number]

/** Tells whether the caller's role has a permission. */
export type May = (permission: Permission) => boolean
