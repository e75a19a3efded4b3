import { invalid } from '../errors.ts'
import type { Team } from '../scope.ts'

/** The buckets, and what the keys of a team's objects begin with. */
export const TEAM_OBJECTS = {
  MEDIA: (team: Pick<Team, 'id'>) => `${team.id}/`,
  ARCHIVE: (team: Pick<Team, 'id'>) => `jobs/${team.id}/`,
} as const
export type BucketName = keyof typeof TEAM_OBJECTS

type Buckets = Pick<Env, BucketName>

const BUCKET_NAMES: readonly BucketName[] = ['MEDIA', 'ARCHIVE']

/** The next names of a team's objects: `MEDIA/<key>`, in the order of the buckets and keys. */
export async function listObjects(env: Buckets, team: Team, after: string): Promise<string[]> {
  const from = BUCKET_NAMES.findIndex(name => after.startsWith(`${name}/`))
  for (const [nth, name] of BUCKET_NAMES.entries()) {
    if (nth < from) continue
    const startAfter = nth === from ? { startAfter: after.slice(name.length + 1) } : {}
    const { objects } = await env[name].list({ prefix: TEAM_OBJECTS[name](team), ...startAfter })
    if (objects.length > 0) return objects.map(({ key }) => `${name}/${key}`)
  }
  return []
}

/** The bucket and the key of a name that `listObjects` gives. */
export function getTeamObject(env: Buckets, team: Pick<Team, 'id'>, name: string): { bucket: R2Bucket; key: string } {
  const bucket = BUCKET_NAMES.find(each => name.startsWith(`${each}/${TEAM_OBJECTS[each](team)}`))
  if (!bucket) throw invalid([{ message: 'is not an object of the team', path: '/query/name' }])
  return { bucket: env[bucket], key: name.slice(bucket.length + 1) }
}

/** Removes some objects of a team; false once there are none. */
export async function eraseObjects(env: Buckets, team: Team): Promise<boolean> {
  let found = false
  for (const name of BUCKET_NAMES) {
    const { objects } = await env[name].list({ prefix: TEAM_OBJECTS[name](team) })
    if (objects.length > 0) await env[name].delete(objects.map(({ key }) => key))
    found ||= objects.length > 0
  }
  return found
}
