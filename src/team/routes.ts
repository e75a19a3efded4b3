import type { Context, Hono, MiddlewareHandler } from 'hono'
import * as z from 'zod'
import { requireOperator } from '../auth/operator/middleware.ts'
import { interruptSendingJobs } from '../background-job/maintenance/interrupt.ts'
import type { Db } from '../db/client.ts'
import { openDatabase } from '../db/databases.ts'
import { AppError, invalid } from '../errors.ts'
import type { AppEnv } from '../http/context.ts'
import { getPublicOrigin } from '../http/public-origin.ts'
import { refuseOtherParameters } from '../http/request/input.ts'
import { limitBody } from '../http/request/json-body.ts'
import { successEnvelope } from '../http/response/envelope.ts'
import { replayTeamErasures } from '../maintenance/replay-erasures.ts'
import { getCipher } from '../plugin/secret/cipher.ts'
import { issueLink } from '../session/operations.ts'
import { viewSignInLink } from '../session/view.ts'
import { eraseTeam } from './erase.ts'
import { exportTeam } from './export.ts'
import { type ImportMode, importRows } from './import.ts'
import { getTeamObject, listObjects } from './objects.ts'
import { parseWalkerPosition } from './position.ts'
import { changeSuspension, findTeam, findUserToSignIn, hasActors, readMark } from './store.ts'
import { resumeTeam, suspendTeam } from './suspend.ts'

const NDJSON = 'application/x-ndjson'
/** `scripts/team/copy.ts` sends half of it. */
const IMPORT_BYTES_MAX = 8 * 1024 * 1024

/** What is left of the 1,000 statements of an invocation is for the last erasure. */
const REPLAY_STATEMENTS_MAX = 400

const TeamNumber = z.coerce.number().int().positive()
const DRY_RUNS = { true: 'dry run', false: 'write', replacing: 'replacing' } as const satisfies Record<
  string,
  ImportMode
>
const DryRun = z.enum(['true', 'false', 'replacing']).default('false')

/** A team's own users never get here: with `OPERATOR_TOKEN` not set, these paths do not exist. */
const forOperator: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (!c.env.OPERATOR_TOKEN) throw new AppError('not_found', `there is no ${c.req.path}`)
  c.set('bodyBytesMax', IMPORT_BYTES_MAX)
  await requireOperator(c)
  await next()
}

const createDbOpener = (c: Context<AppEnv>) => (): Db => openDatabase(c.env, c.get('cost'))
const loadTeam = (c: Context<AppEnv>) => findTeam(createDbOpener(c)(), c.req.param('team') ?? '')
const positionIn = (c: Context<AppEnv>) => {
  const after = c.req.query('after')
  return after === undefined ? undefined : parseWalkerPosition(after)
}
const answer = (c: Context<AppEnv>, data: object) => c.json(successEnvelope(data, { requestId: c.get('requestId') }))

function toStream(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await texts.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: () => void texts.return(undefined),
  })
}

/** For the operator of the installation, across teams; `scripts/team/operator.ts` calls them. Not part of the public reference. */
export function mountOperator(app: Hono<AppEnv>): void {
  app.use('/v1/operate/*', forOperator)
  app.get('/v1/operate/team/:team', refuseOtherParameters(), async c => {
    const team = await loadTeam(c)
    const db = createDbOpener(c)
    const marked = await readMark(db(), team.no)
    return answer(c, { ...team, hasActors: await hasActors(db(), team.no), ...marked, now: Date.now() })
  })
  app.post('/v1/operate/team/:team/suspend', refuseOtherParameters(), async c => {
    const { no } = await loadTeam(c)
    await changeSuspension(createDbOpener(c)(), [suspendTeam(no, Date.now())])
    return answer(c, { ...(await loadTeam(c)), now: Date.now() })
  })
  app.post('/v1/operate/team/:team/resume', refuseOtherParameters(), async c => {
    const { no } = await loadTeam(c)
    await changeSuspension(createDbOpener(c)(), resumeTeam(no, Date.now()))
    return answer(c, await loadTeam(c))
  })
  // After a restore of one team, while it is suspended: what its jobs have sent in the lost time is not known any more.
  app.post('/v1/operate/team/:team/cancel-sends', refuseOtherParameters(), async c => {
    const { no } = await loadTeam(c)
    return answer(c, { interruptedJobs: await interruptSendingJobs(createDbOpener(c)(), Date.now(), no) })
  })
  app.post('/v1/operate/team/:team/erase-again', refuseOtherParameters('after'), async c => {
    const { no } = await loadTeam(c)
    const times = { now: Date.now(), statementsMax: REPLAY_STATEMENTS_MAX }
    const context = { env: c.env, db: createDbOpener(c), cost: c.get('cost'), ...times }
    return answer(c, await replayTeamErasures(context, no, c.req.query('after') || null))
  })
  app.get('/v1/operate/team/:team/rows', refuseOtherParameters('after'), async c => {
    const team = await loadTeam(c)
    return c.body(toStream(exportTeam({ bucket: c.env.ARCHIVE, db: createDbOpener(c), team }, positionIn(c))), 200, {
      'content-type': NDJSON,
    })
  })
  app.post('/v1/operate/rows', refuseOtherParameters('team', 'dryRun'), limitBody(IMPORT_BYTES_MAX), async c => {
    const { data: team } = TeamNumber.safeParse(c.req.query('team'))
    if (team === undefined) throw invalid([{ message: 'must be the number of a team', path: '/query/team' }])
    const { data: dryRun } = DryRun.safeParse(c.req.query('dryRun'))
    if (dryRun === undefined) throw invalid([{ message: 'must be true, false or replacing', path: '/query/dryRun' }])
    const options = { team, mode: DRY_RUNS[dryRun] }
    return answer(c, { rows: await importRows(createDbOpener(c), getCipher(c.env), options, await c.req.text()) })
  })
  app.post('/v1/operate/team/:team/erase', refuseOtherParameters('after'), async c =>
    answer(
      c,
      await eraseTeam(c.env, createDbOpener(c), {
        team: await loadTeam(c),
        after: c.req.query('after'),
        now: Date.now(),
      }),
    ),
  )
  app.post('/v1/operate/team/:team/sign-in-link', refuseOtherParameters('user'), async c => {
    const db = createDbOpener(c)()
    const team = await loadTeam(c)
    const user = await findUserToSignIn(db, team.no, c.req.query('user'))
    return answer(
      c,
      viewSignInLink(await issueLink(db, { team: team.no, user, createdBy: null }, Date.now()), getPublicOrigin(c)),
    )
  })
  app.get('/v1/operate/team/:team/objects', refuseOtherParameters('after'), async c =>
    answer(c, { names: await listObjects(c.env, await loadTeam(c), c.req.query('after') ?? '') }),
  )
  app.get('/v1/operate/team/:team/object', refuseOtherParameters('name'), async c => {
    const { bucket, key } = getTeamObject(c.env, await loadTeam(c), c.req.query('name') ?? '')
    const object = await bucket.get(key)
    if (!object) throw new AppError('not_found', 'object not found')
    const type = object.httpMetadata?.contentType ?? 'application/octet-stream'
    return c.body(object.body, 200, { 'content-type': type, 'content-length': String(object.size) })
  })
  app.put('/v1/operate/team/:team/object', refuseOtherParameters('name'), async c => {
    const team = await loadTeam(c)
    const { bucket, key } = getTeamObject(c.env, team, c.req.query('name') ?? '')
    // Whoever acts may erase: what an erasure has reached must not be overwritten with what was there before.
    if (await hasActors(createDbOpener(c)(), team.no)) return answer(c, { name: c.req.query('name'), written: false })
    const contentType = c.req.header('content-type') ?? 'application/octet-stream'
    await bucket.put(key, await c.req.arrayBuffer(), { httpMetadata: { contentType } })
    return answer(c, { name: c.req.query('name'), written: true })
  })
}
