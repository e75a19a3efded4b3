// Receives webhooks: verifies each, handles each event once and in its order, and reads from the feed what did not arrive.
// API=https://… TOKEN=… SECRET=whsec_… node receiver.js --port 3000 --state receiver.state
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { parseArgs } from 'node:util'
import { caseworker, verifyWebhook, WebhookError } from 'caseworker'

const { values } = parseArgs({ options: { port: { type: 'string' }, state: { type: 'string' } } })
const { port = '3000', state = 'receiver.state' } = values
const secrets = (process.env.SECRET ?? '').split(' ')
const client = caseworker({ baseUrl: process.env.API ?? '', token: process.env.TOKEN ?? '' })

/** The number of the last event that was handled. In an application it stands in the database, in the transaction of what an event does. */
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
}).listen(Number(port), () => console.error(`listening, after event ${last}`))

async function receive(request: IncomingMessage): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { id, sequence } = await verifyWebhook({ headers: request.headers, body: Buffer.concat(chunks) }, secrets)
  // A test has no number: nothing has happened.
  if (sequence === null) return
  if (sequence <= last) console.log(`seen before: ${id}`)
  queue = queue.catch(() => undefined).then(() => catchUp(sequence))
  await queue
}

/** What lies between the last event and this one was filtered out, was lost here, or is still on its way. The feed has it all. */
async function catchUp(sequence: number): Promise<void> {
  while (last < sequence) {
    const { data, meta } = await client.call('listEvents', { query: { after: last } })
    for (const event of data) {
      console.log(`${event.sequence} ${event.type}`)
      keepLast(event.sequence)
    }
    keepLast(Math.max(last, meta.next))
  }
}

/** A new receiver begins with what happens from now on, also where it is stopped before the first event arrives. */
async function readLast(): Promise<number> {
  try {
    return Number(readFileSync(state, 'utf8'))
  } catch {
    const { latest } = (await client.call('getEventFeed', {})).data
    writeFileSync(state, String(latest))
    return latest
  }
}

function keepLast(sequence: number): void {
  last = sequence
  writeFileSync(state, String(last))
}
