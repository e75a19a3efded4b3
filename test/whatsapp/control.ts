import { Hono } from 'hono'
import { z } from 'zod'
import type { AccountEnv } from './account.ts'
import type { Template } from './catalogue.ts'
import { LOCAL_ACCOUNT } from './defaults.ts'
import { handshake, oweStatus } from './delivery.ts'
import { owe, oweAgain, parseTries, pendingUntil, webhooks } from './delivery-store.ts'
import { refusal } from './errors.ts'
import { digits } from './faults.ts'
import { file, putFile } from './files.ts'
import { accountChange, account as accountShape, changed, settingsChange } from './settings.ts'
import { findTemplate, forget, hear, keep, putTemplate, received } from './store.ts'
import { inboundValue } from './webhooks.ts'

const FIRST_ADDED_ID = 400_000_000_000_000

const template = z.looseObject({
  name: z.string().regex(/^[a-z0-9_]+$/),
  language: z.string().default('en_US'),
  category: z.enum(['MARKETING', 'UTILITY', 'AUTHENTICATION']).default('UTILITY'),
  status: z.string().default('APPROVED'),
  parameter_format: z.enum(['POSITIONAL', 'NAMED']).default('POSITIONAL'),
  components: z.array(z.looseObject({ type: z.string() })).min(1),
})
const someMessage = z.strictObject({ messageId: z.string().optional() })
const status = z.strictObject({
  messageId: z.string(),
  status: z.enum(['sent', 'delivered', 'read', 'played', 'failed', 'deleted']),
  code: z.int().default(131026),
  at: z.int().optional(),
})
const inbound = z.strictObject({
  from: z.string(),
  text: z.string().default(''),
  phoneNumberId: z.string().optional(),
  /** A message of another type than text has its content under the name of the type. */
  type: z.string().default('text'),
  content: z.unknown().optional(),
})
const verification = z.strictObject({ callbackUrl: z.url().optional() })

/**
 * The routes by which tests and the demo set up, disturb and read an account. They are local only, so without a token.
 */
export const control = new Hono<AccountEnv>()

/** A body by this shape; none counts as `{}`. */
async function read<T extends z.ZodType>(shape: T, request: { text(): Promise<string> }): Promise<z.infer<T>> {
  const { data, error } = shape.safeParse(JSON.parse((await request.text()) || '{}'))
  if (error) throw new Unfit(z.prettifyError(error))
  return data as z.infer<T>
}

class Unfit extends Error {
  override readonly name = 'Unfit'
}

control.onError((error, c) => {
  if (error instanceof Unfit || error instanceof SyntaxError) return c.json({ error: error.message }, 400)
  throw error
})

control.use(async (c, next) => {
  const creating = c.req.method === 'PUT' && c.req.path.startsWith('/control/accounts/')
  if (!c.env.account.details && !creating) return c.json({ error: 'No such account' }, 404)
  return next()
})

control.get('/accounts/:id', c => c.json(c.env.account.details))

control.put('/accounts/:id', async c => {
  const { account } = c.env
  const change = await read(accountChange, c.req)
  const { id: _, ...now } = account.details ?? { id: '', phoneNumbers: [] }
  const { data, error } = accountShape.safeParse({ ...now, ...change })
  if (error) throw new Unfit(z.prettifyError(error))
  const id = c.req.param('id')
  const book = account.bindings.PHONE_BOOK.getByName('all')
  const foreign = await book.register(
    id,
    data.phoneNumbers.map(phone => phone.id),
  )
  if (foreign !== null) return c.json({ error: `Phone number id ${foreign} is another account's` }, 409)
  keep(account.sql, 'account', { ...data, id })
  await account.arm()
  return c.json(account.details)
})

control.get('/settings', c => c.json(c.env.account.settings))

control.put('/settings', async c => {
  const { account } = c.env
  account.settings = changed(account.settings, await read(settingsChange, c.req))
  await account.arm()
  return c.json(account.settings)
})

control.post('/reset', async c => {
  const { account } = c.env
  forget(account.sql)
  account.recent.clear()
  await account.arm()
  return c.json({ reset: account.details?.id ?? LOCAL_ACCOUNT.id })
})

control.post('/templates', async c => {
  const { sql } = c.env.account
  const sent = await read(template, c.req)
  const id = findTemplate(sql, sent.name, sent.language)?.id ?? String(FIRST_ADDED_ID + Date.now())
  putTemplate(sql, { id, ...sent } as Template)
  return c.json({ id, ...sent }, 201)
})

control.get('/received', c => {
  const { to, ...filter } = c.req.query()
  const rows = received(c.env.account.sql, { ...filter, ...(to === undefined ? {} : { to: digits(to) }) })
  const data = rows.map(row => ({
    at: row.at,
    phoneNumberId: row.phone_number_id,
    to: row.recipient,
    type: row.type,
    template: row.template,
    callbackData: row.callback_data,
    accepted: row.accepted === 1,
    fault: row.fault,
    status: row.status,
    code: row.code,
    messageId: row.message_id,
    body: row.body,
  }))
  return c.json({ received: data.length, accepted: data.filter(({ accepted }) => accepted).length, data })
})

control.get('/webhooks', c => {
  const rows = webhooks(c.env.account.sql, c.req.query('messageId'))
  const data = rows.map(row => ({
    messageId: row.message_id,
    to: row.recipient,
    status: row.status,
    state: row.state,
    dueAt: row.due_at,
    value: JSON.parse(row.value) as unknown,
    tries: parseTries(row.tries),
  }))
  const counts: Record<string, number> = {}
  for (const { state } of data) counts[state] = (counts[state] ?? 0) + 1
  return c.json({ counts, data })
})

control.post('/webhooks/flush', async c => {
  const { account } = c.env
  const pending = pendingUntil(account.sql, Number.MAX_SAFE_INTEGER)
  await account.deliver(pending)
  return c.json({ tried: pending.length })
})

control.post('/webhooks/replay', async c => {
  const { account } = c.env
  const { messageId } = await read(someMessage, c.req)
  const again = oweAgain(account.sql, Date.now(), messageId)
  await account.deliver(again)
  return c.json({ tried: again.length })
})

control.post('/webhooks/status', async c => {
  const { account } = c.env
  const { messageId, status: step, code, at = Date.now() } = await read(status, c.req)
  const [row] = received(account.sql, { messageId })
  if (!row) return c.json({ error: 'No such message' }, 404)
  const sent = {
    phoneNumberId: row.phone_number_id,
    messageId,
    recipient: row.recipient ?? '',
    category: 'utility',
    callbackData: row.callback_data,
  }
  const failure = step === 'failed' ? refusal(code, 'Told through the control interface') : null
  oweStatus(account, sent, { status: step, at, refusal: failure }, Date.now())
  await account.arm()
  return c.json({}, 202)
})

control.post('/inbound', async c => {
  const { account } = c.env
  const { from, text, phoneNumberId, type, content = { body: text } } = await read(inbound, c.req)
  const now = Date.now()
  const id = `wamid.${btoa(`${digits(from)} ${crypto.randomUUID()}`)}`
  hear(account.sql, digits(from), now)
  const webhook = {
    kind: 'messages' as const,
    phone_number_id: phoneNumberId ?? account.details?.phoneNumbers[0]?.id ?? '',
    message_id: id,
    recipient: digits(from),
    status: 'received',
    value: JSON.stringify(inboundValue({ id, from: digits(from), at: now }, type, content)),
    due_at: now,
  }
  owe(account.sql, webhook, account.settings.webhooks.loseEvery)
  await account.arm()
  return c.json({ messageId: id }, 202)
})

control.put('/files', async c => {
  const sent = await read(file, c.req)
  putFile(c.env.account.sql, sent)
  return c.json(sent)
})

control.post('/verify', async c => {
  const { account } = c.env
  const { callbackUrl } = await read(verification, c.req)
  const url = callbackUrl ?? account.details?.callbackUrl
  if (!account.details || !url) return c.json({ error: 'No callback URL is set' }, 409)
  return c.json(await handshake(account, account.details, url))
})
