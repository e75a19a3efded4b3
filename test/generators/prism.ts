import { spawn } from 'node:child_process'
import { sleep } from '../support/sleep.ts'
import { freePort } from '../support/started.ts'
import { type Collection, type Sent, sendCollection } from './postman.ts'
import { BIN, documentIn } from './tools.ts'

const READY_WITHIN_MS = 60_000
const NONSENSE = '{"nonsense": [1]}'

interface Violation {
  location: string[]
  message: string
}

/** Sends every request through Prism, which holds requests and responses to the document: as it is, without a valid token, and wrong. */
export async function walkThroughPrism(
  home: string,
  url: string,
  token: string,
  collection: Collection,
): Promise<string[]> {
  const prism = await proxied(home, url)
  try {
    const found: string[] = []
    const walk = async (how: string, changed: Collection, values: object) => {
      const sent = await sendCollection(home, changed, { baseUrl: prism.url, ...values })
      found.push(...sent.flatMap(each => listViolations(each).map(violation => `${how}: ${each.id} ${violation}`)))
    }
    await walk('as it is', collection, { token })
    await walk('without a valid token', strange(collection), { token: 'cw_wrong' })
    await walk('wrong', wrong(strange(collection)), { token })
    return found
  } finally {
    prism.stop()
  }
}

/** The ids of nobody. */
const strange = (collection: Collection): Collection => ({
  ...collection,
  variable: collection.variable.map(({ key }) => ({ key, value: crypto.randomUUID() })),
})

/** Bodies that fit nothing. */
const wrong = (collection: Collection): Collection => ({
  ...collection,
  item: collection.item.map(folder => ({
    item: folder.item.map(({ request, ...rest }) => ({
      ...rest,
      request: request.body?.raw === undefined ? request : { ...request, body: { ...request.body, raw: NONSENSE } },
    })),
  })),
})

/** Prism tells of both sides; what is wrong with a request is the walk's doing. */
function listViolations({ status, body, header }: Sent): string[] {
  if (body.includes('stoplight.io/prism/errors')) return [`${status} ${body.slice(0, 500)}`]
  const told = JSON.parse(header('sl-violations') ?? '[]') as Violation[]
  return told
    .filter(({ location: [side] }) => side !== 'request')
    .map(({ location, message }) => `${status} ${location.join('/')}: ${message}`)
}

async function proxied(home: string, url: string) {
  const port = String(await freePort())
  const args = ['proxy', documentIn(home), url, '--port', port, '--host', '127.0.0.1', '--verboseLevel', 'error']
  const child = spawn(`${BIN}/prism`, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const stop = () => child.kill()
  const address = `http://127.0.0.1:${port}`
  const deadline = Date.now() + READY_WITHIN_MS
  for (;;) {
    const isUp = await fetch(`${address}/v1/health`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isUp) return { url: address, stop }
    if (Date.now() > deadline || child.exitCode !== null) {
      stop()
      throw new Error('Prism did not get ready')
    }
    await sleep(200)
  }
}
