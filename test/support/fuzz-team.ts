import { procedures } from '../../scripts/demo.ts'
import { toHome } from '../../src/home.ts'
import { HOUR_MS } from '../../src/time-units.ts'
import { newTeam, type Team } from './api.ts'
import { linkFor, newRegistration, startSession } from './browser-session.ts'
import { waitForJob } from './jobs.ts'
import { makeLoggedRequest } from './logged-request.ts'
import { type Connected, connectPlugin, newNumber, refusedNumber } from './provider.ts'
import type { Random } from './random.ts'

/** The JSON of a response, whatever its shape. */
export interface Given {
  _data?: {
    id?: unknown
    url?: unknown
    data?: Record<string, unknown>
    publicMediaUrl?: string
    procedureShortId?: string
    record?: unknown
  }
  _meta?: { next?: unknown; errors?: { code: string; messageId?: unknown }[] }
}

/** Operations whose answer holds the id of something that can be asked for. */
const MADE: Record<string, string> = {
  createProcess: 'processId',
  createOrUpdateProcess: 'processId',
  createUser: 'userId',
  createApiKey: 'keyId',
  rotateApiKey: 'ownKeyId',
  createPlugin: 'ownPluginId',
  createRecord: 'ownRecordId',
  signIn: 'sessionId',
  addPasskey: 'passkeyId',
  createWebhook: 'webhookId',
  createSavedView: 'savedViewId',
  bulkUpdateProcesses: 'backgroundJobId',
  bulkCreateProcesses: 'backgroundJobId',
  bulkUpsertProcesses: 'backgroundJobId',
  scheduleJob: 'backgroundJobId',
  retryJob: 'backgroundJobId',
  undoJob: 'backgroundJobId',
  applyJob: 'backgroundJobId',
  bulkSendTemplateMessage: 'backgroundJobId',
  sendTemplateMessageToPhone: 'messageId',
  sendTemplateMessageForProcess: 'messageId',
  sendTemplateMessageToPhoneOfProcessPath: 'messageId',
  sendTemplateMessageForProcessId: 'messageId',
  sendProviderMessage: 'messageId',
  resendMessage: 'messageId',
}
/** Objects of their own for calls that would break those of all other calls. */
const INSTEAD: Record<string, Record<string, string>> = {
  putProcedure: { procedureShortId: 'ownProcedure' },
  updatePlugin: { pluginId: 'ownPluginId' },
  deletePlugin: { pluginId: 'ownPluginId' },
  revokeApiKey: { keyId: 'ownKeyId' },
  retryJob: { backgroundJobId: 'failedJobId' },
  applyJob: { backgroundJobId: 'plannedJobId' },
  undoJob: { backgroundJobId: 'doneJobId' },
  resendMessage: { messageId: 'unsentMessageId' },
  removeOptOut: { phoneNumber: 'optedOut' },
  sendTemplateMessageForProcess: { procedureShortId: 'customerProcedure', processIdOrKey: 'customer' },
  sendTemplateMessageForProcessId: { processId: 'customerId' },
  eraseRecord: { recordId: 'ownRecordId' },
  mergeRecord: { recordId: 'ownRecordId' },
  downloadMessageMedia: { messageId: 'messageWithFile' },
  replayWebhook: { webhookId: 'enabledWebhook' },
}
const REMEMBERED_MAX = 40
/** A customer has sent a picture: the id of the message. */
async function receivedFile(team: Team, plugin: Connected): Promise<string> {
  const [from, id] = [newNumber(), '80001']
  await plugin.control('PUT', '/files', { id, mimeType: 'image/jpeg', base64: btoa('a picture') })
  await plugin.control('POST', '/inbound', { from, type: 'image', content: { id, mime_type: 'image/jpeg' } })
  await plugin.flush()
  return (await team.call('GET', `/v1/ext/message?phoneNumber=${from}`)).data[0].id
}

/** For the first message to each of these numbers the provider is down, so there is something to send again. */
const UNSTEADY = Array.from({ length: 200 }, (_, index) => `49155500${String(index).padStart(5, '0')}`)

/** The fields of a search: the demo's procedures have no searchable attribute. */
const { lead } = procedures
const SEARCHED = ['name', 'notes', 'interests']
const withWords = {
  ...lead,
  attributes: lead.attributes.map(each => (SEARCHED.includes(each.shortId) ? { ...each, searchable: true } : each)),
}

/** Valid and invalid searches. */
const SEARCHES = [
  'a',
  'asha loan',
  'LEAD',
  'é NOT "x*',
  'a b c d e f g h i j k',
  '',
  '?!',
  '"',
  'a'.repeat(201),
  '日本',
  7,
]

export type FuzzTeam = Awaited<ReturnType<typeof newFuzzTeam>>

/** A team with one of everything, and the names and ids by which it can be asked for. */
export async function newFuzzTeam(random: Random) {
  const team = await newTeam()
  for (const [shortId, definition] of Object.entries({ ...procedures, lead: withWords }))
    await team.call('PUT', `/v1/ext/procedure/${shortId}`, definition)
  await team.call('PUT', '/v1/ext/event-feed', { enabled: true })
  await team.call('POST', '/v1/ext/user', { username: 'meera', role: 'manager' })
  const first = { data: { lead_id: 'LEAD-1' }, record: { data: { phone_number: newNumber() } } }
  await team.call('POST', '/v1/ext/procedure/lead/process', first)
  const customer = { ...first, data: { lead_id: 'LEAD-0' } }
  const { data: kept } = await team.call('POST', '/v1/ext/procedure/lead/process', customer)
  // The customer above must keep a number: this one may lose it.
  const { data: other } = await team.call('POST', '/v1/ext/procedure/lead/process', {
    data: { lead_id: 'LEAD-2' },
    record: { data: { phone_number: newNumber() } },
  })
  const plugin = await connectPlugin(team, {
    settings: {
      limits: { throughputPerSecond: 100_000, pairBurst: 100_000, pairIntervalMs: 0 },
      faults: UNSTEADY.map(to => ({ to, times: 1, fault: { kind: 'http', status: 503 } })),
    },
  })
  const messageWithFile = await receivedFile(team, plugin)
  const webhook = await team.call('POST', '/v1/ext/webhook', { url: 'https://www.example.com/webhooks' })
  const nobody = { processes: [{ lead_id: 'NOBODY', update: { state: 'WON' } }] }
  const failed = await team.call('PATCH', '/v1/ext/procedure/lead/process', nobody)
  await waitForJob(team, failed.data.id)
  const ownRecords: string[] = []
  for (let nth = 0; nth < 30; nth++) {
    const made = await team.call('POST', '/v1/ext/record', { data: { phone: newNumber() } })
    ownRecords.push(made.data.id)
  }
  const done = await team.call('POST', '/v1/ext/procedure/lead/process/bulk-create', [{ data: { lead_id: 'DONE' } }])
  await waitForJob(team, done.data.id)
  const planned: string[] = []
  for (let nth = 0; nth < 40; nth++) {
    const dryRun = await team.call('PATCH', '/v1/ext/procedure/lead/process?dryRun=true', nobody)
    planned.push(dryRun.data.id)
  }
  for (const id of planned) await waitForJob(team, id)
  // Each is taken by the first that opens it.
  const links = await Promise.all(Array.from({ length: 40 }, () => linkFor(team)))
  const optedOut = Array.from({ length: 40 }, () => refusedNumber(131050))
  for (const phone of optedOut) await plugin.send(phone)
  const browser = await startSession(team)
  const otherKeys = [await team.as('manager'), await team.as('agent'), await team.as('viewer')]
  const things: Record<string, string[]> = {
    procedureShortId: ['lead', 'lead', 'lead', 'lead', 'ticket', 'fieldvisit', 'case'],
    ownProcedure: ['visit', 'audit'],
    primaryKeyShortId: ['lead_id', 'lead_id', 'lead_id', 'ticket_id', 'city'],
    primaryKeyValue: ['LEAD-1'],
    customerProcedure: ['lead', 'lead', 'lead', 'lead', 'ticket'],
    customer: ['LEAD-0', kept.id],
    customerId: [kept.id],
    recordId: [other.record.id],
    failedJobId: [failed.data.id],
    plannedJobId: planned,
    doneJobId: [done.data.id],
    ownRecordId: ownRecords,
    messageWithFile: [messageWithFile],
    enabledWebhook: [webhook.data.id],
    requestId: [(await makeLoggedRequest(team)).id],
    optedOut,
    link: links,
    home: [toHome(team.no)],
    pluginId: [plugin.id],
    phoneNumber: [
      newNumber(),
      ...UNSTEADY,
      ...UNSTEADY.map(() => newNumber()),
      refusedNumber(131026),
      '+49 1555 000 000 2',
    ],
    version: ['v23.0', 'v19.0'],
    phoneNumberId: [plugin.phone.id],
    'hub.mode': ['subscribe'],
    'hub.verify_token': [plugin.secrets.verifyToken],
    'hub.challenge': ['1158201444'],
    status: ['OPEN', 'COMPLETED', 'CANCELLED'],
    state: ['NEW', 'CONTACTED', 'WON'],
    assignedTo: ['meera'],
    completionStatus: ['SUCCESS', 'ERROR', 'NOT_STARTED', 'INVALID'],
    after: ['0', '1', '5'],
    type: ['process.created', 'process.updated,process.deleted'],
    waitSeconds: ['0', '1'],
    limit: ['1', '10', '100'],
    skip: ['0', '1', '100'],
    asOf: ['1', '2', '3', '7', new Date().toISOString(), String(Date.now())],
    blame: ['true', 'true', 'false'],
    event: [`evt_${team.id.slice(-12)}_1_${Date.now().toString(36)}`],
    createdBy: [failed.data.createdBy],
    procedure: [failed.data.procedure],
    retryOf: [failed.data.id],
    from: ['2026-11-01T00:00:00Z', String(Date.now() - HOUR_MS)],
    to: [String(Date.now() + HOUR_MS)],
  }
  const learn = (kind: string, thing: unknown) => {
    if (typeof thing !== 'string') return
    const known = things[kind] ?? []
    if (known.length < REMEMBERED_MAX) things[kind] = [...known, thing]
    else known[random.whole(1, REMEMBERED_MAX - 1)] = thing
  }
  const customerFilter = () => {
    const field = random.pick(['record', 'record.phone', 'record.email'])
    const known = { record: things.recordId, 'record.phone': things.phoneNumber }[field] ?? []
    const value = random.pick([...known, 'asha@example.com', null])
    return { [field]: random.pick([value, [value], { '!=': value }]) }
  }
  return {
    team,
    plugin,
    cookie: browser.cookie,
    registration: async () => (await newRegistration(browser)).registration,
    /** Chooses a token: nearly always an admin's. */
    token: () => (random.chance(0.93) ? team : random.pick(otherKeys)).token,
    /** Something real for a place of an address or a query. */
    real(operationId: string, name: string): string | undefined {
      const kind = INSTEAD[operationId]?.[name] ?? (name === 'process' ? 'processId' : name)
      const known = things[kind] ?? []
      // A call that succeeds only once goes to the latest object; the first of these is known to be fit for it.
      if (['unsentMessageId', 'optedOut', 'ownRecordId', 'plannedJobId'].includes(kind) && random.chance(0.8))
        return known.pop()
      if (['failedJobId', 'customer', 'customerId'].includes(kind) && random.chance(0.6)) return known[0]
      return known.length === 0 ? undefined : random.pick(known)
    },
    /** Bodies that many can send without being in each other's way, and that name what there is. */
    personal(body: unknown): unknown {
      if (typeof body !== 'object' || body === null || Array.isArray(body) || random.chance(0.1)) return body
      const own = { ...(body as Record<string, unknown>) }
      if ('username' in own)
        Object.assign(own, { username: `user-${crypto.randomUUID()}`, email: `${crypto.randomUUID()}@acme.example` })
      if (typeof own.data === 'object' && own.data !== null && 'lead_id' in own.data && random.chance(0.8))
        own.data = { ...own.data, lead_id: crypto.randomUUID() }
      if (typeof own.where === 'object' && own.where !== null && random.chance(0.3))
        own.where = { ...own.where, ...customerFilter() }
      if (('where' in own || 'sort' in own) && random.chance(0.2)) {
        own.search = random.pick(SEARCHES)
        if (random.chance(0.3)) own.sort = [{ field: 'relevance' }]
      }
      if ('link' in own && random.chance(0.8)) return { link: things.link?.pop() ?? 'none' }
      // The first of them is nobody's to erase.
      if ('into' in own) own.into = random.pick((things.recordId ?? []).flatMap(id => [id, other.record.id]))
      if ('whatsappPhoneNumberId' in own) own.whatsappPhoneNumberId = plugin.phone.id
      if ('messaging_product' in own) own.to = random.pick(things.phoneNumber ?? [])
      if (typeof own.from === 'number' && random.chance(0.8)) Object.assign(own, { from: 1, to: random.whole(1, 2) })
      if ('entries' in own && random.chance(0.5)) own.startAt = Date.now() + HOUR_MS
      return own
    },
    media: () => things.media ?? [],
    /** Stores created objects for later calls. */
    remember(operationId: string, { _data, _meta }: Given): void {
      const kind = MADE[operationId]
      if (operationId === 'createSignInLink' && typeof _data?.url === 'string') learn('link', _data.url.split('#')[1])
      if (kind !== undefined) learn(kind, _data?.id)
      if (kind === 'backgroundJobId' && random.chance(0.5)) learn('failedJobId', _data?.id)
      if (kind === 'processId') {
        learn('primaryKeyValue', _data?.data?.lead_id)
        if (_data?.procedureShortId === 'lead' && _data.record)
          learn(random.chance(0.5) ? 'customerId' : 'customer', _data.id)
      }
      const { record } = _data ?? {}
      if (typeof record === 'object' && record !== null && 'id' in record && record.id !== kept.record.id)
        learn(random.chance(0.5) ? 'recordId' : 'ownRecordId', record.id)
      if (_data?.publicMediaUrl !== undefined) learn('media', new URL(_data.publicMediaUrl).pathname)
      if (typeof _meta?.next === 'string' && !_meta.next.startsWith('/')) learn('cursor', _meta.next)
      for (const { messageId } of _meta?.errors ?? [])
        for (const known of ['messageId', 'unsentMessageId']) learn(known, messageId)
    },
  }
}
