import { invalid } from '../errors.ts'
import { objectsPrefix } from '../event/object/statements.ts'
import type { Team } from '../scope.ts'

/** The buckets, and what the keys of a team's objects begin with: files; entries of jobs, and what was moved of the log. */
const TEAM_OBJECTS = [
  { bucket: 'MEDIA', prefix: ({ id }: Pick<Team, 'id'>) => `${id}/` },
  { bucket: 'ARCHIVE', prefix: ({ id }: Pick<Team, 'id'>) => `jobs/${id}/` },
  { bucket: 'ARCHIVE', prefix: ({ id }: Pick<Team, 'id'>) => objectsPrefix(id) },
] as const
type BucketName = (typeof TEAM_OBJECTS)[number]['bucket']

type Buckets = Pick<Env, BucketName>

/** The next names of a team's objects: `MEDIA/<key>`, in the order of the buckets, prefixes and keys. */
export async function listObjects(env: Buckets, team: Team, after: string): Promise<string[]> {
  const from = TEAM_OBJECTS.findIndex(({ bucket, prefix }) => after.startsWith(`${bucket}/${prefix(team)}`))
  for (const [nth, { bucket, prefix }] of TEAM_OBJECTS.entries()) {
    if (nth < from) continue
    const startAfter = nth === from ? { startAfter: after.slice(bucket.length + 1) } : {}
    const { objects } = await env[bucket].list({ prefix: prefix(team), ...startAfter })
    if (objects.length > 0) return objects.map(({ key }) => `${bucket}/${key}`)
  }
  return []
}

/** The bucket and the key of a name that `listObjects` gives. */
export function getTeamObject(env: Buckets, team: Pick<Team, 'id'>, name: string): { bucket: R2Bucket; key: string } {
  const found = TEAM_OBJECTS.find(({ bucket, prefix }) => name.startsWith(`${bucket}/${prefix(team)}`))
  if (!found) throw invalid([{ message: 'is not an object of the team', path: '/query/name' }])
  return { bucket: env[found.bucket], key: name.slice(found.bucket.length + 1) }
}

/** Removes some objects of a team; false once there are none. */
export async function eraseObjects(env: Buckets, team: Team): Promise<boolean> {
  let found = false
  for (const { bucket, prefix } of TEAM_OBJECTS) {
    const { objects } = await env[bucket].list({ prefix: prefix(team) })
    if (objects.length > 0) await env[bucket].delete(objects.map(({ key }) => key))
    found ||= objects.length > 0
  }
  return found
}
