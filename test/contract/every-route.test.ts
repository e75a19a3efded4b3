import { beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../src/app.ts'
import { ERROR_CODES } from '../../src/errors.ts'
import { toHome } from '../../src/home.ts'
import { BODY_BYTES_MAX, UNAUTHENTICATED_BODY_BYTES_MAX } from '../../src/http/request/json-body.ts'
import { STATUS_BY_CODE } from '../../src/http/response/status.ts'
import { ROLES } from '../../src/roles.ts'
import { fetchWorker, newTeam, ORIGIN, type Team } from '../support/api.ts'
import { addPasskey, linkFor, newRegistration, newUser, startSession } from '../support/browser-session.ts'
import { makeLoggedRequest } from '../support/logged-request.ts'
import { connectPlugin, newNumber } from '../support/provider.ts'

/** Real things of a team. */
interface Things {
  team: Team
  procedure: { id: string; shortId: string }
  process: string
  key: string
  deleted: string
  /** A customer of that process. */
  record: string
  otherRecord: string
  user: string
  apiKey: string
  plugin: string
  sender: string
  message: string
  job: string
  webhook: string
  savedView: string
  request: string
  /** The token of a sign-in link. */
  link: string
  session: string
  passkey: string
  /** The authenticator's response to a challenge of the admin. */
  registration: object
}

/** The value of each path parameter. A new name gets a line here. */
const PARAMS: Record<string, (things: Things) => string> = {
  procedureShortId: ({ procedure }) => procedure.shortId,
  processId: ({ process }) => process,
  primaryKeyShortId: () => 'serial',
  primaryKeyValue: ({ key }) => key,
  recordId: ({ record }) => record,
  userId: ({ user }) => user,
  keyId: ({ apiKey }) => apiKey,
  home: ({ team }) => toHome(team.no),
  pluginId: ({ plugin }) => plugin,
  phoneNumber: () => CUSTOMER,
  processIdOrKey: ({ process }) => process,
  version: () => 'v23.0',
  phoneNumberId: ({ sender }) => sender,
  messageId: ({ message }) => message,
  team: ({ team }) => team.id,
  date: () => '2026-01-01',
  file: () => 'none.png',
  backgroundJobId: ({ job }) => job,
  webhookId: ({ webhook }) => webhook,
  sessionId: ({ session }) => session,
  passkeyId: ({ passkey }) => passkey,
  savedViewId: ({ savedView }) => savedView,
  requestId: ({ request }) => request,
}

const CUSTOMER = newNumber()
/** Parts of an address that name nothing a team could have: the same for everybody. */
const PLAIN = ['phoneNumber', 'version']

const template = ({ sender }: Things) => ({ whatsappPhoneNumberId: sender, templateName: 'hello_world' })
const PDF = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.7\r\n--b--\r\n'

const PROCEDURE = {
  name: 'Thing',
  states: [{ shortId: 'NEW' }, { shortId: 'DONE' }],
  startState: 'NEW',
  completedState: 'DONE',
  attributes: [{ shortId: 'serial', type: 'string' }],
  primaryKey: 'serial',
}

interface Sample {
  /** A body that the route accepts. */
  body?: (things: Things) => unknown
  params?: Record<string, (things: Things) => string>
  /** The query that the route requires. */
  query?: string
  /** A body that is not JSON, with its type. */
  raw?: { text: string; type: string }
  /** The body is another's shape, which may have members that we don't know. */
  isOpen?: boolean
  /** True if the route needs a session: it gets the cookie of somebody who has the role. */
  inSession?: true
  /** The possible statuses besides a success, depending on the state of the object. */
  besides?: number[]
}

/** A sample for each route with a body, or with a parameter of an unusual meaning, by method and path. */
const SAMPLES: Record<string, Sample> = {
  'PUT /v1/ext/procedure/:procedureShortId': { body: () => PROCEDURE },
  'POST /v1/ext/procedure/:procedureShortId/process/list': { body: () => ({ where: { status: 'OPEN' }, limit: 5 }) },
  'POST /v1/ext/procedure/:procedureShortId/process/aggregate': {
    body: () => ({ groupBy: ['state', { field: 'createdAt', by: 'week', timeZone: 'Asia/Kolkata' }] }),
  },
  'POST /v1/ext/procedure/:procedureShortId/process': { body: () => ({ data: { serial: crypto.randomUUID() } }) },
  'PUT /v1/ext/procedure/:procedureShortId/process': { body: ({ key }) => ({ data: { serial: key } }) },
  'PUT /v1/ext/procedure/:procedureShortId/process/:processId': { body: () => ({ data: { colour: 'red' } }) },
  'PUT /v1/ext/procedure/:procedureShortId/process/:primaryKeyShortId/:primaryKeyValue': {
    body: () => ({ status: 'COMPLETED' }),
  },
  'POST /v1/ext/procedure/:procedureShortId/process/:processId/restore': {
    params: { processId: ({ deleted }) => deleted },
  },
  'PUT /v1/ext/procedure/:procedureShortId/process/:processId/revert': { body: () => ({ version: 1 }) },
  'PUT /v1/ext/procedure/:procedureShortId/process/:primaryKeyShortId/:primaryKeyValue/revert': {
    body: () => ({ version: 1 }),
  },
  'GET /v1/ext/record': { query: `?phone=${CUSTOMER}` },
  'POST /v1/ext/record': { body: () => ({ data: { phone: newNumber(), name: 'Asha' } }) },
  'PUT /v1/ext/event-feed': { body: () => ({ enabled: true }) },
  'PUT /v1/ext/record/:recordId': { body: () => ({ data: { name: 'Asha' } }) },
  'POST /v1/ext/record/:recordId/merge': { body: ({ otherRecord }) => ({ into: otherRecord }) },
  'PUT /v1/ext/user/:userId/access': { body: () => ({ role: 'viewer' }) },
  'POST /v1/ext/passkey/challenge': { inSession: true },
  // Each role adds it for itself: a challenge is answered once, and by the user for whom it was made.
  'POST /v1/ext/passkey': {
    body: ({ registration }) => ({ name: 'Laptop', passkey: registration }),
    inSession: true,
    besides: [409],
  },
  'POST /v1/session': { body: ({ link }) => ({ link }) },
  'POST /v1/session/link': { body: ({ link }) => ({ link }) },
  // No provider is set up here.
  'POST /v1/session/openid': { body: () => ({}), besides: [501] },
  'POST /v1/session/openid/answer': { body: () => ({ code: 'a', state: 'b' }), besides: [501] },
  'PUT /v1/ext/user/:userId': { body: () => ({ firstName: 'Ada' }) },
  'POST /v1/ext/user': { body: () => ({ username: `user-${crypto.randomUUID()}`, role: 'agent' }) },
  'POST /v1/ext/api-key': { body: () => ({ name: 'One more', role: 'viewer' }) },
  'POST /v1/ext/api-key/:keyId/rotate': { body: () => ({ overlapSeconds: 60 }) },
  // Each role of the test makes one, and a team has twenty at most.
  'POST /v1/ext/webhook': { body: () => ({ url: 'https://www.example.com/webhooks' }), besides: [409] },
  'POST /v1/ext/saved-view': { body: ({ procedure }) => ({ name: 'Open', procedure: procedure.shortId }) },
  'PUT /v1/ext/saved-view/:savedViewId': { body: () => ({ name: 'Other' }) },
  'PUT /v1/ext/webhook/:webhookId': { body: () => ({ description: 'Other' }) },
  'POST /v1/ext/webhook/:webhookId/rotate-secret': { body: () => ({ overlapSeconds: 0 }) },
  'POST /v1/ext/webhook/:webhookId/replay': { body: () => ({ from: 1 }), besides: [400, 409] },
  'DELETE /v1/ext/opt-out/:phoneNumber': { besides: [404] },
  'GET /v1/ext/message/:messageId/media': { besides: [404] },
  'GET /v1/ext/message': { query: `?phoneNumber=${CUSTOMER}` },
  'POST /v1/ext/plugin/whatsapp': {
    body: () => ({
      name: 'One more',
      businessAccountId: '1',
      accessToken: 'a',
      appSecret: 'b',
      verifyToken: 'c',
      phoneNumbers: [{ id: '2', displayNumber: '3' }],
    }),
  },
  'PUT /v1/ext/plugin/whatsapp/:pluginId': { body: () => ({ name: 'Other' }) },
  'POST /v1/ext/plugin/whatsapp/:pluginId/phoneNumber/:phoneNumber/send-template-message': { body: template },
  'POST /v1/ext/plugin/whatsapp/:pluginId/process/phoneNumber/:phoneNumber/send-template-message': { body: template },
  'POST /v1/ext/plugin/whatsapp/:pluginId/process/:processId/send-template-message': { body: template },
  'POST /v1/ext/plugin/whatsapp/:pluginId/process/:procedureShortId/:processIdOrKey/send-template-message': {
    body: template,
  },
  'POST /v1/ext/plugin/whatsapp/:pluginId/process/:procedureShortId/bulk-send-template-message': {
    body: things => ({ ...template(things), processes: [{ id: things.process }] }),
  },
  'POST /v1/ext/plugin/whatsapp/:pluginId/api/:version/:phoneNumberId/messages': {
    body: () => ({ messaging_product: 'whatsapp', to: newNumber(), type: 'text', text: { body: 'Hello' } }),
    isOpen: true,
  },
  'POST /v1/ext/plugin/whatsapp/:pluginId/upload-public-media': {
    raw: { text: PDF, type: 'multipart/form-data; boundary=b' },
  },
  'PATCH /v1/ext/procedure/:procedureShortId/process': {
    body: ({ process }) => ({ processes: [{ id: process, update: { status: 'OPEN' } }] }),
  },
  'POST /v1/ext/procedure/:procedureShortId/process/bulk-create': { body: () => [{ data: { colour: 'blue' } }] },
  'POST /v1/ext/procedure/:procedureShortId/process/bulk-upsert': { body: ({ key }) => [{ data: { serial: key } }] },
  'POST /v1/ext/background-job': {
    body: ({ procedure, process }) => ({
      entries: [
        {
          apiType: 'PROCESS_UPDATE',
          apiData: { processId: process, procedureId: procedure.id, processUpdate: { status: 'OPEN' } },
        },
      ],
    }),
  },
  // A job may have ended already, and nothing in it failed.
  'POST /v1/ext/background-job/:backgroundJobId/cancel': { besides: [409] },
  'POST /v1/ext/background-job/:backgroundJobId/retry': { body: () => ({}), besides: [409] },
  'POST /v1/ext/background-job/:backgroundJobId/undo': { besides: [409] },
  'POST /v1/ext/background-job/:backgroundJobId/apply': { besides: [409] },
}

const list = routes.map(spec => ({
  ...spec,
  verb: spec.method.toUpperCase(),
  name: `${spec.method.toUpperCase()} ${spec.path}`,
  names: [...spec.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name),
}))
type Listed = (typeof list)[number]

const guarded = list.filter(({ permission }) => permission !== null)
const withBody = list.filter(({ body }) => body !== undefined)
/** Bodies taken as bytes are checked entry by entry: what is wrong with one does not refuse the request. */
const takesBody = ({ body, bodyAs }: Listed) => body !== undefined || bodyAs === 'json stream'

const fill = (spec: Listed, segment: (name: string) => string): string =>
  spec.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(segment(name)))

const toAddress = (spec: Listed, things: Things): string =>
  fill(spec, name => (SAMPLES[spec.name]?.params?.[name] ?? PARAMS[name])?.(things) ?? 'unknown')

const toBody = (spec: Listed, things: Things): string | undefined =>
  SAMPLES[spec.name]?.raw?.text ??
  (takesBody(spec) ? JSON.stringify(SAMPLES[spec.name]?.body?.(things) ?? {}) : undefined)

const getType = (spec: Listed): string => SAMPLES[spec.name]?.raw?.type ?? 'application/json'

interface Hit {
  token?: string
  cookie?: string
  body?: string | undefined
  type?: string
}

/** Every answer in this file goes through here, so every one is held to the envelope. */
async function hit(method: string, path: string, { token, cookie, body, type = 'application/json' }: Hit = {}) {
  // The origin is that of a page of the installation: signing in and out needs it.
  const headers: Record<string, string> = { origin: ORIGIN }
  if (token !== undefined) headers.authorization = `Bearer ${token}`
  if (cookie !== undefined) headers.cookie = cookie
  if (body !== undefined) headers['content-type'] = type
  const response = await fetchWorker(path, { method, headers, ...(body === undefined ? {} : { body }) })
  // Entries to take home and events to watch come as streams of their own kind.
  if (
    response.ok &&
    /^(text\/event-stream|application\/x-ndjson|text\/csv)/.test(response.headers.get('content-type') ?? '')
  ) {
    await response.body?.cancel()
    const where = `${method} ${path}`
    return { status: response.status, headers: response.headers, json: {}, trips: 0, written: 0, where }
  }
  const text = await response.text()
  const where = `${method} ${path} ${response.status} ${text.slice(0, 300)}`
  expect(response.headers.get('content-type'), where).toMatch(/^application\/json/)
  const json = JSON.parse(text)
  expect(Object.keys(json), where).toEqual(['_data', '_meta', '_errors'])
  expect(typeof json._data === 'object' && json._data !== null, where).toBe(true)
  expect(json._meta.requestId, where).toMatch(/^[0-9a-f-]{36}$/)
  expect(response.headers.get('x-request-id'), where).toBe(json._meta.requestId)
  const timing = /^db;dur=[\d.]+;desc="trips=(\d+) read=\d+ written=(\d+)", sql;dur=[\d.]+$/.exec(
    response.headers.get('server-timing') ?? '',
  )
  expect(timing, where).not.toBeNull()
  if (response.ok) expect(json._errors, where).toEqual([])
  else {
    expect(json._data, where).toEqual({})
    expect(json._errors.length, where).toBeGreaterThan(0)
    expect(json._meta.errors.length, where).toBe(json._errors.length)
    for (const error of json._meta.errors) {
      expect(ERROR_CODES, where).toContain(error.code)
      expect(STATUS_BY_CODE[error.code as keyof typeof STATUS_BY_CODE], where).toBe(response.status)
      expect(error.docs, where).toBe(`${ORIGIN}/docs/errors#${error.code}`)
      if (error.path !== undefined) expect(error.path, where).toMatch(/^\/(path|query|header|body)(\/|$)/)
    }
  }
  const [trips, written] = [Number(timing?.[1]), Number(timing?.[2])]
  return { status: response.status, headers: response.headers, json, trips, written, where }
}

async function makeTeam(shortId: string): Promise<{ team: Team; procedure: { id: string; shortId: string } }> {
  const team = await newTeam()
  const made = await team.call('PUT', `/v1/ext/procedure/${shortId}`, PROCEDURE)
  await team.call('PUT', '/v1/ext/event-feed', { enabled: true })
  return { team, procedure: { id: made.data.id, shortId } }
}

/** Makes the objects that a route names, or all that there are. */
async function makeThings({ team, procedure }: Awaited<ReturnType<typeof makeTeam>>, spec?: Listed): Promise<Things> {
  const isNamed = (name: string) => spec === undefined || spec.names.includes(name)
  const isAt = (...paths: string[]) => spec === undefined || paths.includes(spec.path)
  const whatsapp = isNamed('pluginId') || isNamed('messageId') ? await connectPlugin(team) : undefined
  const collection = `/v1/ext/procedure/${procedure.shortId}/process`
  const make = async (method: string, path: string, body: unknown): Promise<string> =>
    (await team.call(method, path, body)).data.id
  const key = crypto.randomUUID().slice(0, 8)
  const process = await team.call('POST', collection, {
    data: { serial: key },
    record: { data: { phone: newNumber() } },
  })
  const bulk = { processes: [{ id: process.data.id, update: { status: 'OPEN' } }] }
  return {
    team,
    procedure,
    process: process.data.id,
    key,
    deleted: isAt('/v1/ext/procedure/:procedureShortId/process/:processId/restore')
      ? await newDeleted(team, collection)
      : '',
    record: process.data.record.id,
    otherRecord: isNamed('recordId') ? await make('POST', '/v1/ext/record', { data: { name: 'Mei Tanaka' } }) : '',
    user: isNamed('userId') ? await newUser(team, 'agent') : '',
    apiKey: isNamed('keyId') ? await make('POST', '/v1/ext/api-key', { name: 'thing', role: 'viewer' }) : '',
    plugin: whatsapp?.id ?? '',
    sender: whatsapp?.phone.id ?? '',
    message: whatsapp && isNamed('messageId') ? await failedMessage(whatsapp) : '',
    job: isNamed('backgroundJobId') ? await make('PATCH', collection, bulk) : '',
    webhook: isNamed('webhookId') ? await newWebhook(team) : '',
    request: isNamed('requestId') ? (await makeLoggedRequest(team)).id : '',
    savedView: isNamed('savedViewId') ? await newSavedView(team, procedure.shortId) : '',
    link: isAt('/v1/session', '/v1/session/link') ? await linkFor(team) : '',
    session: isNamed('sessionId') ? (await startSession(team)).id : '',
    passkey: isNamed('passkeyId') ? (await addPasskey(team)).id : '',
    registration: isAt('/v1/ext/passkey') ? (await newRegistration(await startSession(team))).registration : {},
  }
}

async function newDeleted(team: Team, collection: string): Promise<string> {
  const { data } = await team.call('POST', collection, { data: {} })
  await team.call('DELETE', `${collection}/${data.id}`)
  return data.id
}

/** Replaces the earlier ones: a team may have twenty. */
async function newWebhook(team: Team): Promise<string> {
  for (const { id } of (await team.call('GET', '/v1/ext/webhook')).data)
    await team.call('DELETE', `/v1/ext/webhook/${id}`)
  return (await team.call('POST', '/v1/ext/webhook', { url: 'https://www.example.com/webhooks' })).data.id
}

/** Replaces the earlier ones: a user may have fifty. */
async function newSavedView(team: Team, procedure: string): Promise<string> {
  for (const { id } of (await team.call('GET', '/v1/ext/saved-view')).data)
    await team.call('DELETE', `/v1/ext/saved-view/${id}`)
  return (await team.call('POST', '/v1/ext/saved-view', { name: 'Open', procedure })).data.id
}

/** Creates a message that may be sent again. */
async function failedMessage(whatsapp: Awaited<ReturnType<typeof connectPlugin>>): Promise<string> {
  const to = newNumber()
  await whatsapp.faults({ to, times: 1, fault: { kind: 'error', code: 131026 } })
  return (await whatsapp.send(to)).meta.errors[0].messageId
}

/** A team that routes change: each finds things made anew, so that what one has deleted the next does not miss. */
let ours: Awaited<ReturnType<typeof makeTeam>>
/** The things of a team that is only asked what is refused, and of another one: nothing changes them. */
let unchanged: Things
let others: Things
/** In a session one ends one's own; a key acts for a user whom it must not lock out. */
const ALSO_NEEDED_BY_KEYS: Record<string, string> = {
  'DELETE /v1/ext/session/:sessionId': 'key:write',
  'DELETE /v1/ext/passkey/:passkeyId': 'key:write',
}

const tokens: Record<string, string> = {}
const cookies: Record<string, string> = {}

/** Returns the caller of a route for a role. */
const as = (spec: Listed, role: string): Hit =>
  SAMPLES[spec.name]?.inSession ? { cookie: cookies[role] ?? '' } : { token: tokens[role] ?? '' }

/** Calls as the admin of the team that nothing changes. */
const refused = (spec: Listed): Hit =>
  SAMPLES[spec.name]?.inSession ? { cookie: cookies.refused ?? '' } : { token: unchanged.team.token }

beforeAll(async () => {
  ours = await makeTeam('thing')
  unchanged = await makeThings(await makeTeam('thing'))
  others = await makeThings(await makeTeam('theirthing'))
  cookies.refused = (await startSession(unchanged.team)).cookie
  for (const { shortId } of ROLES) {
    tokens[shortId] = (await ours.team.as(shortId)).token
    const user = shortId === 'admin' ? ours.team.admin : await newUser(ours.team, shortId)
    cookies[shortId] = (await startSession(ours.team, user)).cookie
  }
})

describe('the list of routes', () => {
  it('names each method and path once', () => {
    const names = list.map(({ name }) => name)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })

  it('has a sample here for each parameter and each body', () => {
    const nameless = list.flatMap(({ names }) => names.filter(name => PARAMS[name] === undefined))
    const bodiless = list
      .filter(takesBody)
      .filter(({ name }) => SAMPLES[name]?.body === undefined)
      .map(({ name }) => name)
    expect({ nameless, bodiless }).toEqual({ nameless: [], bodiless: [] })
  })

  it('has no sample for a route that is gone', () => {
    expect(Object.keys(SAMPLES).filter(name => !list.some(each => each.name === name))).toEqual([])
  })

  it('asks each route but a few for a permission that some role has and some role lacks', () => {
    expect(list.filter(({ permission }) => permission === null).map(({ path }) => path)).toEqual(
      list
        .map(({ path }) => path)
        .filter(
          path =>
            /^\/v1\/(health|session|session\/(link|challenge|ways|openid|openid\/answer))$/.test(path) ||
            /^\/(webhooks|media)\//.test(path),
        ),
    )
    const admin = ROLES.find(({ shortId }) => shortId === 'admin')
    for (const { permission, name } of guarded)
      expect(
        admin?.permissions.some(each => each === permission),
        name,
      ).toBe(true)
  })
})

describe.each(guarded)('$name', spec => {
  it('answers 401 without a token, and to a mistyped one without asking the database', async () => {
    const address = toAddress(spec, unchanged)
    const body = toBody(spec, unchanged)
    const { token: right } = unchanged.team
    const mistyped = right.slice(0, -1) + (right.endsWith('a') ? 'b' : 'a')
    for (const token of [undefined, mistyped, 'nonsense']) {
      const reply = await hit(spec.verb, address, {
        body,
        type: getType(spec),
        ...(token === undefined ? {} : { token }),
      })
      expect(reply.status, reply.where).toBe(401)
      expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer /)
      expect(reply.trips).toBe(0)
    }
  })

  it('answers 403 to exactly the roles that lack its permission, and names it', async () => {
    const things = await makeThings(ours, spec)
    const needed = ALSO_NEEDED_BY_KEYS[spec.name] ?? spec.permission
    for (const role of [...ROLES].reverse()) {
      const permissions: readonly string[] = role.permissions
      const reply = await hit(spec.verb, toAddress(spec, things) + (SAMPLES[spec.name]?.query ?? ''), {
        ...as(spec, role.shortId),
        body: toBody(spec, things),
        type: getType(spec),
      })
      if (permissions.includes(needed ?? '')) {
        expect([401, 403, 405, 415], reply.where).not.toContain(reply.status)
        expect(reply.status, reply.where).toBeLessThan(500)
        if (role.shortId === 'admin' && spec.method !== 'delete' && !/\/(restore|resend)$/.test(spec.path))
          expect(SAMPLES[spec.name]?.besides?.includes(reply.status) || reply.status < 400, reply.where).toBe(true)
      } else {
        expect(reply.status, reply.where).toBe(403)
        expect(reply.json._errors[0]).toContain(needed)
        expect(reply.json._meta.errors[0].permission).toBe(needed)
      }
    }
  })

  if (spec.names.length > 0)
    it("tells nothing of another team's things: the same answer as for unknown ones", async () => {
      const { token } = unchanged.team
      const segment = (things: Things, name: string) =>
        (SAMPLES[spec.name]?.params?.[name] ?? PARAMS[name])?.(things) ?? ''
      // A short id is free to take in a team of one's own, so a procedure is addressed by its id.
      const strange = (name: string) => (name === 'procedureShortId' ? others.procedure.id : segment(others, name))
      const unknown = (name: string) =>
        name === 'primaryKeyShortId'
          ? 'serial'
          : PLAIN.includes(name)
            ? (PARAMS[name]?.(unchanged) ?? '')
            : crypto.randomUUID()
      const inOurs = (value: (name: string) => string) => (name: string) =>
        name === 'procedureShortId' ? unchanged.procedure.shortId : value(name)
      const cases = [{ strange, unknown }]
      if (spec.names.length > 1) cases.push({ strange: inOurs(strange), unknown: inOurs(unknown) })
      for (const each of cases) {
        const anonymous = async (value: (name: string) => string) => {
          const used = spec.names.map(name => ({ name, value: value(name) }))
          const path = fill(spec, name => used.find(one => one.name === name)?.value ?? '')
          const reply = await hit(spec.verb, path, { token, body: toBody(spec, unchanged), type: getType(spec) })
          let text = JSON.stringify({
            status: reply.status,
            ...reply.json,
            _meta: { ...reply.json._meta, requestId: '' },
          })
          for (const one of used) text = text.replaceAll(one.value, `<${one.name}>`)
          return { text, status: reply.status, where: reply.where }
        }
        const [told, expected] = [await anonymous(each.strange), await anonymous(each.unknown)]
        expect(told.text).toBe(expected.text)
        const wanted = spec.name === 'PUT /v1/ext/procedure/:procedureShortId' ? 400 : 404
        expect(told.status, told.where).toBe(wanted)
      }
    })
})

/** Called by a provider, who may add parameters of its own. */
const CALLED_BY_PROVIDER = ['GET /webhooks/whatsapp/:home/:pluginId', 'POST /webhooks/whatsapp/:home/:pluginId']

const HAVE_DRY_RUNS = [
  'PUT /v1/ext/procedure/:procedureShortId',
  'POST /v1/ext/record/:recordId/merge',
  'PATCH /v1/ext/procedure/:procedureShortId/process',
  'POST /v1/ext/procedure/:procedureShortId/process/bulk-create',
  'POST /v1/ext/procedure/:procedureShortId/process/bulk-upsert',
  'POST /v1/ext/plugin/whatsapp/:pluginId/process/:procedureShortId/bulk-send-template-message',
  'POST /v1/ext/background-job',
]

const byProvider = list.filter(({ name }) => CALLED_BY_PROVIDER.includes(name))

describe.each(list.filter(spec => !byProvider.includes(spec)))('a parameter that $name does not know', spec => {
  it('is refused by name, and nothing is changed', async () => {
    const query = SAMPLES[spec.name]?.query ?? ''
    const unknown = HAVE_DRY_RUNS.includes(spec.name) ? 'purge' : 'dryRun'
    const address = toAddress(spec, unchanged)
    const reply = await hit(spec.verb, `${address}${query}${query === '' ? '?' : '&'}${unknown}=true`, {
      ...refused(spec),
      body: toBody(spec, unchanged),
      type: getType(spec),
    })
    expect(reply.status, reply.where).toBe(400)
    expect(reply.json._meta.errors, reply.where).toMatchObject([
      { code: 'invalid_request', path: `/query/${unknown}`, message: `unknown parameter "${unknown}"` },
    ])
    expect(reply.written, reply.where).toBe(0)
  })
})

describe.each(byProvider)('a parameter that $name does not know', spec => {
  it('is accepted from a provider', async () => {
    const reply = await hit(spec.verb, `${toAddress(spec, unchanged)}?hub.new=1`, { body: toBody(spec, unchanged) })
    expect([401, 403], reply.where).toContain(reply.status)
  })
})

describe.each(withBody)('the body of $name', spec => {
  const send = (body: string, type?: string) =>
    hit(spec.verb, toAddress(spec, unchanged), { ...refused(spec), body, ...(type === undefined ? {} : { type }) })

  it('is refused by name for an unknown field', async () => {
    const body = SAMPLES[spec.name]?.body?.(unchanged)
    if (Array.isArray(body) || SAMPLES[spec.name]?.isOpen) return
    const reply = await send(JSON.stringify({ ...(body as object), zzUnknown: 1 }))
    expect(reply.status, reply.where).toBe(400)
    expect(reply.json._meta.errors[0]).toMatchObject({ code: 'invalid_request', path: '/body/zzUnknown' })
    expect(reply.json._errors[0]).toContain('"zzUnknown"')
  })

  it.each(['{"a":', '', 'null garbage', '{"a":1}}'])('is refused as %j, which is not JSON', async text => {
    const reply = await send(text)
    expect(reply.status, reply.where).toBe(400)
    expect(reply.json._meta.errors).toMatchObject([{ code: 'malformed_json', path: '/body' }])
  })

  it.each(['null', '"text"', '7', 'true', '[[]]'])('is refused as %s, which is JSON of another shape', async text => {
    const reply = await send(text)
    expect(reply.status, reply.where).toBe(400)
    expect(reply.json._meta.errors[0].code).toBe('invalid_request')
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/jsonp'])(
    'is refused as %s',
    async type => {
      const reply = await send(toBody(spec, unchanged) ?? '', type)
      expect(reply.status, reply.where).toBe(415)
    },
  )

  it('is accepted with a charset, in any case', async () => {
    const things = await makeThings(ours, spec)
    const reply = await hit(spec.verb, toAddress(spec, things), {
      ...as(spec, 'admin'),
      body: toBody(spec, things),
      type: 'Application/JSON; charset=utf-8',
    })
    expect(SAMPLES[spec.name]?.besides?.includes(reply.status) || reply.status < 300, reply.where).toBe(true)
  })

  it('is refused when it is larger than the limit', async () => {
    const bytesMax = spec.bodyBytesMax ?? (spec.permission === null ? UNAUTHENTICATED_BODY_BYTES_MAX : BODY_BYTES_MAX)
    const reply = await send(`{"data":{"x":"${'x'.repeat(bytesMax)}"}}`)
    expect(reply.status, reply.where).toBe(413)
    expect(reply.json._errors[0]).toContain(String(bytesMax))
  })
})

describe('an address of the API', () => {
  const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
  const matches = (pattern: string, path: string) => new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}$`).test(path)

  it.each([...new Set(list.map(({ path }) => path))])('%s answers 405 with Allow to methods it lacks', async path => {
    const spec = list.find(each => each.path === path) as Listed
    const address = toAddress(spec, unchanged)
    const allowed = list.filter(each => matches(each.path, address)).map(({ verb }) => verb)
    for (const method of METHODS.filter(each => !allowed.includes(each))) {
      const reply = await hit(method, address, { token: unchanged.team.token })
      expect(reply.status, reply.where).toBe(405)
      const allow = [...new Set(allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed)].sort().join(', ')
      expect(reply.headers.get('allow')).toBe(allow)
      expect(reply.json._meta.errors[0].code).toBe('method_not_allowed')
    }
  })

  it.each(['/', '/v1', '/v1/ext/nothing', '/v3/ext/users', '/v1/ext/user/', '/v1/ext/user//', '/v1/ext/users/', '//'])(
    '%s that has no route is a 404 in the envelope',
    async path => {
      const reply = await hit('GET', path, { token: ours.team.token })
      expect(reply.status, reply.where).toBe(404)
    },
  )

  it('answers a preflight of any origin, without credentials', async () => {
    const response = await fetchWorker(`/v1/ext/users`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://elsewhere.example',
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'authorization,content-type,idempotency-key,if-match,x-chakra-sdk',
      },
    })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
    expect(response.headers.get('access-control-allow-methods')).toContain('PATCH')
    const headers = (response.headers.get('access-control-allow-headers') ?? '').toLowerCase().split(/,\s*/)
    expect(headers).toEqual(
      expect.arrayContaining(['authorization', 'content-type', 'idempotency-key', 'if-match', 'x-chakra-sdk']),
    )
  })

  it('gives a browser the headers that carry meaning, also of a refusal', async () => {
    const response = await fetchWorker(`/v1/ext/users`, { headers: { origin: 'https://a.example' } })
    expect(response.status).toBe(401)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect((response.headers.get('access-control-expose-headers') ?? '').toLowerCase()).toContain('x-request-id')
    await response.text()
  })

  it('answers HEAD as GET, without a body', async () => {
    const response = await fetchWorker(`/v1/health`, { method: 'HEAD' })
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('')
  })

  it('is open to anybody at /v1/health, which says that the service runs', async () => {
    const reply = await hit('GET', '/v1/health')
    expect(reply.status).toBe(200)
    expect(reply.json._data).toEqual({ status: 'ok', version: expect.stringMatching(/^\d+\.\d+\.\d+(-rc\.\d+)?$/) })
    expect(reply.trips).toBe(0)
  })
})
