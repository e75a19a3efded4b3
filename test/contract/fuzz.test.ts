import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { fetchWorker, ORIGIN } from '../support/api.ts'
import { misfits, operations } from '../support/document.ts'
import { makeBody, NASTY_TEXTS } from '../support/fuzz.ts'
import { type FuzzTeam, type Given, newFuzzTeam } from '../support/fuzz-team.ts'
import { signBody } from '../support/provider.ts'
import { createRandom } from '../support/random.ts'
import { IS_CHAOS, SEED } from '../support/seed.ts'

const REQUESTS = Number(env.FUZZ || (IS_CHAOS ? 50_000 : 1_000))
/** An operation that chance has not brought to both a success and a refusal yet is given this many more tries. */
const MORE_TRIES = 500
const TIME_LIMIT_MS = 20 * 60_000
/** The texts that a caller must never see. */
const INTERNALS =
  /D1_ERROR|SQLITE|no such (?:column|table)|\bsyntax error\b|\n\s+at |\.ts:\d+|node_modules|\bundefined\b is not|Cannot read/

const random = createRandom(SEED)

type Operation = (typeof operations)[number]
interface Sent {
  chosen: Operation
  verb: string
  address: string
  headers: Record<string, string>
  body?: string | Uint8Array<ArrayBuffer> | FormData
}

const sentBefore: Sent[] = []
const went = new Map(operations.map(({ operation }) => [operation.operationId, { well: 0, badly: 0, last: '' }]))
const codes = new Map<string, number>()

it(`the API answers ${REQUESTS} requests, valid and broken, as documented and never with a fault of ours`, {
  timeout: TIME_LIMIT_MS,
}, async () => {
  const fuzzTeam = await newFuzzTeam(random)
  let number = 0
  const tryOne = async (chosen: Operation) => {
    const request = await made(fuzzTeam, chosen)
    // Now and then the same again, or twice at the same time.
    const requests = random.chance(0.03) ? [request, request] : random.chance(0.04) ? [again(request)] : [request]
    number += requests.length
    await Promise.all(requests.map(each => send(fuzzTeam, each, `request ${number} of seed ${SEED}`)))
  }
  while (number < REQUESTS) await tryOne(random.pick(operations))
  for (const chosen of operations)
    for (let tries = 0; tries < MORE_TRIES && isLacking(chosen); tries++) {
      await tryOne(chosen)
      await tryOne(random.pick(operations))
    }

  console.info(`seed ${SEED}, ${number} requests; well/badly:`, JSON.stringify(summary()))
  expect(
    operations.filter(isLacking).map(({ operation: { operationId } }) => [operationId, went.get(operationId)]),
  ).toEqual([])
})

const summary = () => ({
  ...Object.fromEntries([...went].map(([id, { well, badly }]) => [id, `${well}/${badly}`])),
  codes: Object.fromEntries([...codes].sort(([, a], [, b]) => b - a)),
})

function isLacking({ operation: { operationId } }: Operation): boolean {
  const { well = 0, badly = 0 } = went.get(operationId) ?? {}
  // Only somebody who returns from a provider brings the parameters of a success: test/session/openid.test.ts.
  const isOfProvider = ['beginOpenId', 'answerOpenId'].includes(operationId)
  // A route without input cannot be called wrongly.
  const asksNothing = ['getHealth', 'listWaysToSignIn'].includes(operationId)
  return (well === 0 && !isOfProvider) || (badly === 0 && !asksNothing)
}

async function made(fuzzTeam: FuzzTeam, chosen: Operation): Promise<Sent> {
  const { method, path, operation } = chosen
  const { operationId } = operation
  const media = operationId === 'getMedia' && fuzzTeam.media().length > 0 && random.chance(0.8)
  const address = media
    ? random.pick(fuzzTeam.media())
    : path.replace(/\{(\w+)\}/g, (_, name: string) => segment(fuzzTeam, operationId, name)) +
      makeQuery(fuzzTeam, operation)
  const body =
    operationId === 'uploadPublicMedia'
      ? upload()
      : operationId === 'addPasskey' && random.chance(0.7)
        ? JSON.stringify({ name: 'Laptop', passkey: await fuzzTeam.registration() })
        : makeBody(operation, random, fuzzTeam.personal)
  const type = Object.keys(operation.requestBody?.content ?? {})[0] ?? 'application/json'
  const isTyped = body !== undefined && !(body instanceof FormData)
  const headers: Record<string, string> = {
    ...chooseCaller(fuzzTeam, operationId),
    ...(random.chance(0.9) ? { origin: random.chance(0.97) ? ORIGIN : header() } : {}),
    ...(isTyped
      ? { 'content-type': random.chance(0.97) ? type : random.pick(['text/plain', 'application/xml', '']) }
      : {}),
    ...(random.chance(0.2) ? { 'idempotency-key': random.chance(0.7) ? crypto.randomUUID() : header() } : {}),
    ...(random.chance(0.05) ? { 'if-match': random.pick(['"1-0"', '"1-1"', '*', 'W/"2-0"', header()]) } : {}),
    ...(random.chance(method === 'get' ? 0.1 : 0.02)
      ? { 'if-none-match': random.pick(['"1-0"', '*', '"1-0", "2-0"', header()]) }
      : {}),
    ...(random.chance(0.1) ? { accept: random.pick(['text/csv', 'application/json', '*/*', header()]) } : {}),
    ...(random.chance(0.1) ? { 'accept-encoding': random.pick(['gzip', 'br', 'identity;q=0, *;q=0', header()]) } : {}),
    ...(operationId === 'receiveWebhook' && random.chance(0.9) && typeof body === 'string'
      ? { 'x-hub-signature-256': await signBody(fuzzTeam.plugin.secrets.appSecret, body) }
      : {}),
  }
  const verb = random.chance(0.98)
    ? method.toUpperCase()
    : random.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])
  return { chosen, verb, address, headers, ...(body !== undefined && !['GET', 'HEAD'].includes(verb) ? { body } : {}) }
}

/** An earlier request with its idempotency key: the same once more, or the key with another's body. */
function again(request: Sent): Sent {
  if (sentBefore.length === 0) return request
  const earlier = random.pick(sentBefore)
  return random.chance(0.7) || earlier.body === undefined || request.body === undefined
    ? earlier
    : { ...earlier, body: request.body }
}

async function send(fuzzTeam: FuzzTeam, request: Sent, place: string): Promise<void> {
  const { verb, address, headers, body } = request
  const { operation, method } = request.chosen
  if (headers['idempotency-key'] !== undefined && sentBefore.length < 200) sentBefore.push(request)
  try {
    // Held to the document on the way.
    const response = await fetchWorker(address, { method: verb, headers, ...(body === undefined ? {} : { body }) })
    const text = await readText(response)
    if (INTERNALS.test(text)) throw new Error(`told of our insides: ${text.slice(0, 2_000)}`)
    const given =
      response.headers.get('content-type')?.startsWith('application/json') && text !== ''
        ? (JSON.parse(text) as Given)
        : {}
    const faults = given._meta?.errors ?? []
    for (const { code } of faults.slice(0, 1)) codes.set(code, (codes.get(code) ?? 0) + 1)
    if (response.status >= 500 && !faults.every(({ code }) => /^provider_|^not_offered$/.test(code)))
      throw new Error(`a fault of ours: ${text.slice(0, 2_000)}`)
    if (verb !== method.toUpperCase()) return
    fuzzTeam.remember(operation.operationId, given)
    const counts = went.get(operation.operationId)
    if (counts === undefined) return
    response.status < 400 ? counts.well++ : counts.badly++
    if (response.status >= 400) counts.last = `${address} ${shown(body)} ${text.slice(0, 500)}`
  } catch (error) {
    // A request that the client side refuses to send never reached us.
    if (error instanceof TypeError && /header|URL|URI|filename/i.test(error.message)) return
    throw new Error(
      `${place}: ${operation.operationId}\n${verb} ${address} ${JSON.stringify(headers)}\n${shown(body)}`,
      {
        cause: error,
      },
    )
  }
}

const shown = (body: Sent['body']) => (typeof body === 'string' ? body.slice(0, 2_000) : String(body))

/** The text of an answer; of a stream that may never end its beginning. Lines of results are held to the document, too. */
async function readText(response: Response): Promise<string> {
  const type = response.headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream') && response.body !== null) {
    const reader = response.body.getReader()
    const { value } = await reader.read()
    await reader.cancel()
    return new TextDecoder().decode(value)
  }
  const text = new TextDecoder().decode(await response.arrayBuffer())
  if (type.startsWith('application/x-ndjson'))
    for (const line of text.split('\n').filter(each => each !== '')) {
      const wrong = misfits('entry', { $ref: '#/components/schemas/BackgroundJobEntry' }, JSON.parse(line))
      if (wrong.length > 0) throw new Error(`a line of the results is not as documented: ${wrong.join('; ')}\n${line}`)
    }
  return text
}

/** Chooses a token, or a cookie where nothing else works; rarely nothing. */
function chooseCaller(fuzzTeam: FuzzTeam, operationId: string): Record<string, string> {
  if (/Passkey$/.test(operationId) && random.chance(0.8)) return { cookie: fuzzTeam.cookie }
  return random.chance(0.97) ? { authorization: `Bearer ${random.chance(0.97) ? fuzzTeam.token() : header()}` } : {}
}

function segment(fuzzTeam: FuzzTeam, operationId: string, name: string): string {
  const known = fuzzTeam.real(operationId, name)
  if (known !== undefined && random.chance(0.9)) return encodeURIComponent(known)
  if (random.chance(0.1))
    return random.pick(['%', '%E0%A4%A', '%00', '..%2f..', '%2F', 'a%20b', ';', ':', '@', '*', '~'])
  return encodeURIComponent(random.pick(NASTY_TEXTS).toWellFormed()) || 'x'
}

function makeQuery(fuzzTeam: FuzzTeam, { operationId, parameters = [] }: Operation['operation']): string {
  const often = operationId === 'verifyWebhook' ? 0.9 : 0.3
  const chosen = parameters.filter(each => each.in === 'query' && random.chance(often))
  const value = (name: string) =>
    (random.chance(0.7) ? fuzzTeam.real(operationId, name) : undefined) ?? random.pick([...NASTY_TEXTS, '1'])
  const pairs = chosen.map(({ name = '' }): [string, string] => [name, value(name).toWellFormed()])
  if (random.chance(0.03)) pairs.push([random.pick(NASTY_TEXTS).toWellFormed(), 'x'])
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}

const header = (): string =>
  random
    .pick(NASTY_TEXTS)
    .replace(/[^\x20-\x7e]/g, '~')
    .slice(0, 300)

function upload(): FormData | string {
  if (random.chance(0.1)) return random.pick(NASTY_TEXTS)
  const form = new FormData()
  const content = random.pick(['%PDF-1.7\r\n', '%PDF-1.7\r\n', '\x89PNG\r\n\x1a\n', ...NASTY_TEXTS.slice(0, 8)])
  const bytes = Uint8Array.from(content, character => character.charCodeAt(0))
  const name = random.chance(0.5) ? 'offer.pdf' : random.pick(NASTY_TEXTS).toWellFormed()
  if (random.chance(0.95))
    form.append(random.chance(0.95) ? 'file' : 'File', random.chance(0.95) ? new File([bytes], name) : content)
  if (random.chance(0.3)) form.append('filename', random.pick(NASTY_TEXTS).toWellFormed())
  return form
}
