// Receives webhooks: verifies each, handles each event once and in its order, and reads from the feed what did not arrive.
// API=https://… TOKEN=… SECRET=whsec_… node receiver.js --port 3000 --state receiver.state
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { parseArgs } from 'node:util'
import { CaseworkerError, caseworker, verifyWebhook, WebhookError } from 'caseworker'

const { values } = parseArgs({ options: { port: { type: 'string' }, state: { type: 'string' } } })
const { port = '3000', state = 'receiver.state' } = values
const secrets = (process.env.SECRET ?? '').split(' ')
const client = caseworker({ baseUrl: process.env.API ?? '', token: process.env.TOKEN ?? '' })

/**
 * The last event that was handled; without an id, the number to begin after. In an application it stands in the database, in the
 * transaction of what an event does.
 */
interface Last {
  sequence: number
  id: string | null
}

let last = await readLast()
/** One event after the other. */
let queue: Promise<void> = Promise.resolve()

createServer((request, response) => {
  receive(request).then(
    () => response.writeHead(204).end(),
    (error: unknown) => {
      console.error(String(error))
      // Whatever is no success is sent again later.
      response.writeHead(error instanceof WebhookError ? 400 : 500).end()
    },
  )
}).listen(Number(port), () => console.error(`listening, after event ${last.sequence}`))

async function receive(request: IncomingMessage): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { id, sequence } = await verifyWebhook({ headers: request.headers, body: Buffer.concat(chunks) }, secrets)
  // A test has no number: nothing has happened.
  if (sequence === null) return
  queue = queue.catch(() => undefined).then(() => handleOnce(id, sequence))
  await queue
}

async function handleOnce(id: string, sequence: number): Promise<void> {
  if (sequence <= last.sequence) {
    if (await isInLog(last)) return console.log(`seen before: ${id}`)
    console.log(`the log was restored to before event ${last.sequence}, and goes on from there`)
    keepLast({ sequence: sequence - 1, id: null })
  }
  await catchUp(sequence)
}

/** After a restore of a backup the log is shorter, or has other events under the same numbers. */
async function isInLog({ sequence, id }: Last): Promise<boolean> {
  if (id === null) return true
  try {
    const { data } = await client.call('listEvents', { query: { after: sequence - 1, limit: 1 } })
    return data[0]?.id === id
  } catch (error) {
    if (!(error instanceof CaseworkerError)) throw error
    // It was so long ago that the log does not have it any more.
    if (error.code === 'sequence_expired') return true
    if (error.code === 'invalid_request') return false
    throw error
  }
}

/** What lies between the last event and this one was filtered out, was lost here, or is still on its way. The feed has it all. */
async function catchUp(sequence: number): Promise<void> {
  while (last.sequence < sequence) {
    const { data, meta } = await client.call('listEvents', { query: { after: last.sequence } })
    // It was sent before a restore, and has not happened since.
    if (meta.next <= last.sequence) return
    for (const event of data) {
      console.log(`${event.sequence} ${event.type}`)
      keepLast({ sequence: event.sequence, id: event.id })
    }
    if (meta.next > last.sequence) keepLast({ sequence: meta.next, id: null })
  }
}

/** A new receiver begins with what happens from now on, also where it is stopped before the first event arrives. */
async function readLast(): Promise<Last> {
  try {
    return JSON.parse(readFileSync(state, 'utf8')) as Last
  } catch {
    const begin = { sequence: (await client.call('getEventFeed', {})).data.latest, id: null }
    writeFileSync(state, JSON.stringify(begin))
    return begin
  }
}

function keepLast(event: Last): void {
  last = event
  writeFileSync(state, JSON.stringify(last))
}
