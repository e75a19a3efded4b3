import { createHmac } from 'node:crypto'
import type { CaseworkerError, TeamEvent } from '../client.ts'
import { type Command, type ParsedArguments, type Session, UsageError } from './command/command.ts'
import { getChoice, getOption, getWholeNumber } from './command/options.ts'
import { formatCell, isTimeField } from './output/rows.ts'
import { hasColor, print, printError } from './output/terminal.ts'

const FORMATS = ['text', 'ndjson'] as const

/** Parses the number of the event to start after. By default only new events are shown. */
function parseStart(args: ParsedArguments): number | 'latest' {
  const after = getOption(args, 'after')
  if (after === undefined) return 'latest'
  if (!/^\d{1,15}$/.test(after)) throw new UsageError(`--after takes the number of an event, not ${after}`)
  return Number(after)
}

function getReceiver(args: ParsedArguments, { connection }: Session): Receiver | undefined {
  const to = getOption(args, 'forward-to')
  const secret = getOption(args, 'secret')
  if (to !== undefined)
    return {
      address: parseReceiverAddress(to),
      secret: secret === undefined ? deriveSecret(connection.token) : checkSecret(secret),
    }
  if (secret !== undefined) throw new UsageError('--secret goes with --forward-to')
  return undefined
}

export const listenCommand: Command = {
  name: 'listen',
  group: 'Events',
  summary: 'Show events as they happen, and forward each to an address',
  details: `Ends with Ctrl-C, and then prints where to go on. What the receiver does not accept is shown, and not sent again.
The secret that it signs with stays the same while the token does.`,
  arguments: [],
  options: {
    types: { value: 'types', summary: 'only these types, with commas between them: process.created,message.received' },
    after: {
      value: 'sequence',
      summary: 'begin after the event of this number; 0 is the first (default: with what happens from now on)',
    },
    'forward-to': {
      value: 'address',
      summary: 'send each event there, signed like a webhook: localhost:3000/webhooks',
    },
    secret: { value: 'secret', summary: 'sign with this secret: whsec_…' },
    limit: { value: 'count', summary: 'end after so many events (default: with Ctrl-C)' },
    format: { value: 'format', summary: 'text on a terminal, otherwise ndjson', choices: FORMATS },
  },
  examples: ['listen --types process.created,process.updated', 'listen --forward-to localhost:3000/webhooks'],
  run: { remote: listen },
}

async function listen(session: Session, args: ParsedArguments): Promise<undefined> {
  const { client, signal } = session
  const receiver = getReceiver(args, session)
  const format = getChoice(args, 'format', FORMATS) ?? (process.stdout.isTTY ? 'text' : 'ndjson')
  const show = (event: TeamEvent) => print(`${format === 'text' ? formatEvent(event) : JSON.stringify(event)}\n`)
  const limit = getWholeNumber(args, 'limit')
  const start = parseStart(args)
  const after = start === 'latest' ? (await client.eventFeed.get({ signal })).latest : start
  printError(`Listening after event ${after}. Ctrl-C ends it.\n`)
  if (receiver) printError(`Each event goes to ${receiver.address}, signed with ${receiver.secret}\n`)
  let [position, failed, shown] = [after, 0, 0]
  const types = getOption(args, 'types')
    ?.split(',')
    .map(each => each.trim()) as TeamEvent['type'][] | undefined
  const onError = (error: CaseworkerError, pauseMs: number) =>
    printError(`${error.message}; trying again in ${Math.ceil(pauseMs / 1000)} s\n`)
  try {
    for await (const { events, next } of client.events({ after, types, signal, onError }).pages()) {
      for (const event of events) {
        await show(event)
        if (receiver && !(await forward(receiver, event, signal))) failed += 1
        position = event.sequence
        shown += 1
        if (signal.aborted || shown === limit) break
      }
      if (shown === limit) break
      if (!signal.aborted) position = next
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  const lost = failed === 0 ? '' : `; ${failed} not accepted`
  printError(`\nEnded after event ${position}${lost}. To go on: caseworker listen --after ${position}\n`)
  return undefined
}

/** Forwards an event, and returns whether the receiver accepted it. */
async function forward(receiver: Receiver, event: TeamEvent, signal: AbortSignal): Promise<boolean> {
  const { isAccepted, outcome, ms } = await forwardEvent(receiver, event, signal)
  printError(`  ${isAccepted ? '→' : '✗'} ${event.id} ${outcome} (${ms} ms)\n`)
  return isAccepted
}

/** The time limit of a response, the same as for a webhook. */
const RESPONSE_WITHIN_MS = 15_000
const SECRET_PREFIX = 'whsec_'
/** The minimum that Standard Webhooks requires of a secret. */
const SECRET_BYTES_MIN = 24
const REASON_CHARACTERS_MAX = 200

export interface Receiver {
  address: URL
  secret: string
}

interface ForwardResult {
  isAccepted: boolean
  /** The status of the response, with its first line if it is no success; or why there is none. */
  outcome: string
  ms: number
}

/** An address, as people write those of their own machine: `3000`, `localhost:3000/hooks`, `http://…`. */
function parseReceiverAddress(text: string): URL {
  const written = /^\d+(\/|$)/.test(text) ? `localhost:${text}` : text
  const address = /^https?:\/\//i.test(written) ? written : `http://${written}`
  const isOther = /^[a-z][a-z0-9+.-]*:\/\//i.test(written) && address !== written
  if (isOther || !URL.canParse(address))
    throw new UsageError(`--forward-to takes an address such as localhost:3000/webhooks, not ${text}`)
  return new URL(address)
}

function checkSecret(secret: string): string {
  const bytes = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  if (secret.startsWith(SECRET_PREFIX) && bytes.length >= SECRET_BYTES_MIN) return secret
  throw new UsageError(
    `--secret takes ${SECRET_PREFIX} with at least ${SECRET_BYTES_MIN} bytes in base64 after it, as a webhook has it`,
  )
}

/** The same for each start with a token, so that the receiver's setting stays. Nothing follows from it about the token. */
const deriveSecret = (token: string): string =>
  SECRET_PREFIX + createHmac('sha256', token).update('caseworker listen').digest('base64')

/** Sends an event as a webhook does: signed by Standard Webhooks, redirects not followed. */
async function forwardEvent(
  { address, secret }: Receiver,
  event: TeamEvent,
  signal: AbortSignal,
): Promise<ForwardResult> {
  const body = JSON.stringify(event)
  const startedAt = Date.now()
  const ended = (isAccepted: boolean, outcome: string): ForwardResult => ({
    isAccepted,
    outcome,
    ms: Date.now() - startedAt,
  })
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers: buildHeaders(event, body, secret),
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(RESPONSE_WITHIN_MS)]),
    })
    // The status decides as for a webhook: the body of a success may take longer.
    if (response.ok) {
      response.body?.cancel().catch(() => undefined)
      return ended(true, String(response.status))
    }
    return ended(false, `${response.status} ${getFirstLine(await response.text())}`.trim())
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return ended(false, formatReason(error))
  }
}

function buildHeaders({ id, sequence }: TeamEvent, body: string, secret: string): Record<string, string> {
  const seconds = Math.floor(Date.now() / 1000)
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')
  return {
    'content-type': 'application/json',
    // An event comes after minutes of silence: a receiver that closes a kept connection in that moment would not get it.
    connection: 'close',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
    'webhook-sequence': String(sequence),
  }
}

const getFirstLine = (text: string): string => (text.trim().split('\n')[0] ?? '').slice(0, REASON_CHARACTERS_MAX)

/** The error of `fetch` says little; its cause says more. */
function formatReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no response within ${RESPONSE_WITHIN_MS / 1000} seconds`
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  return cause.message || ('code' in cause ? String(cause.code) : error.message)
}

const [BOLD, PLAIN] = ['\u001b[1m', '\u001b[22m']
const VALUE_CHARACTERS_MAX = 40

/** An event in one line: when, its number, what, about what, and what changed. */
function formatEvent(event: TeamEvent): string {
  const type = hasColor() ? `${BOLD}${event.type}${PLAIN}` : event.type
  return toOneLine(
    [event.timestamp, event.sequence, type, formatSubject(event), formatEventChanges(event)].filter(Boolean).join('  '),
  )
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they would change the terminal, save for the bold type
const CONTROL = /[\u0000-\u001a\u001c-\u001f\u007f-\u009f]+/g
const toOneLine = (text: string): string => text.replace(CONTROL, ' ')

type Named = Record<string, unknown>

/** Describes the object of an event: its procedure, if it has one, and its id. */
function formatSubject({ data }: TeamEvent): string {
  const subject = Object.values(data as Named).find(value => typeof value === 'object' && value !== null)
  const { procedureShortId, id } = (Array.isArray(subject) ? data : (subject ?? data)) as Named
  return [procedureShortId, id].filter(each => each !== undefined).join(' ')
}

function formatEventChanges({ data }: TeamEvent): string {
  const { changes } = data as { changes?: readonly Change[] }
  return formatChanges(changes ?? [])
}

interface Change {
  field: string
  from: unknown
  to: unknown
}

/** Describes changes: `state: NEW → CONTACTED, data.score: 80 → 85`. */
export const formatChanges = (changes: readonly Change[]): string =>
  changes.map(({ field, from, to }) => `${field}: ${formatValue(field, from)} → ${formatValue(field, to)}`).join(', ')

function formatValue(field: string, value: unknown): string {
  const text = value === null || value === undefined ? '–' : formatCell(value, isTimeField(field))
  return text.length > VALUE_CHARACTERS_MAX ? `${text.slice(0, VALUE_CHARACTERS_MAX - 1)}…` : text
}
