/** The permissions by which roles differ, in words. */
const DEEDS = {
  'process:write': 'changes processes',
  'message:send': 'sends messages',
  'process:delete': 'deletes processes',
  'process:override': 'puts processes back against the allowed moves',
  'job:write': 'cancels and retries jobs',
  'user:write': 'adds users',
  'config:write': 'sets up procedures and plugins',
  'webhook:write': 'sets up webhooks',
  'key:write': 'creates API keys',
}

/** Describes in a sentence what these permissions allow. */
export function describePermissions(permissions: readonly string[] | undefined): string | undefined {
  if (permissions === undefined) return undefined
  const deeds = Object.entries(DEEDS).flatMap(([permission, deed]) => (permissions.includes(permission) ? [deed] : []))
  return deeds.length === 0 ? 'Reads, and changes nothing.' : `Reads, ${deeds.join(', ')}.`
}
