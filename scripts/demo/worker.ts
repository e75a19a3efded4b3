import { createKey, listKeys } from '../../src/api-key/operations.ts'
import { connect, type Db } from '../../src/db/client.ts'
import { createCost } from '../../src/db/cost.ts'
import { write } from '../../src/db/write.ts'
import { newId } from '../../src/ids.ts'
import { hasProcesses } from '../../src/procedure/definition-change/in-use.ts'
import { putProcedure } from '../../src/procedure/operations.ts'
import { findProcedure } from '../../src/procedure/store.ts'
import { createTeamScope, type Scope } from '../../src/scope.ts'
import { buildTeam, replaceFirstKey, selectNextTeamNumber, selectTeam } from '../../src/team/new-team.ts'
import { DAY_MS } from '../../src/time-units.ts'
import { createUser, listUsers } from '../../src/user/operations.ts'
import type { Company } from './company.ts'
import { PAST_DAYS, writeHistory } from './history.ts'
import { USERS } from './people.ts'
import { PROCEDURES } from './procedures.ts'
import { seededRandom } from './random.ts'

// Makes the demo team in the local database, before the product's own Worker runs on it: what happened in the past can't be
// made through the API, where it is always now. An interrupted start is made good by the next one.

const TIME_LIMIT_MS = 120_000
const SEED = 20_260
const KEYS = {
  app: { name: 'App of the team', description: 'What people do in the app', role: 'admin' },
  website: { name: 'Website', description: 'The contact form and the links in messages', role: 'agent' },
} as const
const may = () => true

async function makeTeam(db: Db, shortId: string, now: number): Promise<string> {
  const [[known]] = await db.read(selectTeam(shortId))
  const begin = now - (PAST_DAYS + 1) * DAY_MS
  const [[next]] = await db.read(selectNextTeamNumber)
  const made = known
    ? await replaceFirstKey(known.no, known.user, now)
    : await buildTeam(shortId, { no: next?.no ?? 1, now: begin })
  await write({ db, idempotency: null }, { effect: made.statements, outcome: null })
  const [[team]] = await db.read(selectTeam(shortId))
  if (!team) throw new Error('the demo team was not made')
  const origin = { apiKey: made.keyId, request: newId(begin) }
  // The other users come after the admin, who is the first of the team.
  const of = { no: team.no, id: shortId, shortId, name: shortId, eventFeedSince: null }
  await furnish(createTeamScope(db, { team: of, user: { id: team.user }, origin }, begin + 1), now)
  return made.token
}

async function furnish(scope: Scope, now: number): Promise<void> {
  const known = new Set((await listUsers(scope)).map(({ username }) => username))
  for (const user of USERS) if (!known.has(user.username)) await createUser(scope, user, may)
  const users = new Map((await listUsers(scope)).map(({ username, id }) => [username, id]))
  const procedures = Object.fromEntries(
    await Promise.all(
      Object.entries(PROCEDURES).map(async ([shortId, definition]) => {
        if (!(await findProcedure(scope, shortId)))
          await putProcedure(scope, { shortId, body: definition, required: undefined })
        return [shortId, await findProcedure(scope, shortId)]
      }),
    ),
  ) as Company['procedures']
  if (await hasProcesses(scope, procedures.enquiry.no)) return
  const keys = { app: await keyFor(scope, 'app'), website: await keyFor(scope, 'website') }
  const { db, team } = scope
  await writeHistory(db, { team, procedures, users, keys, now }, seededRandom(SEED))
}

async function keyFor(scope: Scope, purpose: keyof typeof KEYS): Promise<string> {
  const key = KEYS[purpose]
  const known = (await listKeys(scope)).find(({ name }) => name === key.name)
  return known?.id ?? (await createKey(scope, { ...key, expiresAt: null }, may)).row.id
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { shortId, now } = (await request.json()) as { shortId: string; now: number }
    const db = connect(env.DB, createCost(), TIME_LIMIT_MS)
    return Response.json({ token: await makeTeam(db, shortId, now) })
  },
}
