import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'

// Stands in for Cloudflare's API, as far as wrangler 4.86 calls it to set an installation up: keeps one account, and writes it
// to the file that is its argument after each change. Prints its port.
const [file] = process.argv.slice(2)
const account = {
  databases: [],
  queues: [],
  queueSettings: {},
  buckets: [],
  workers: {},
  consumers: {},
  bookmarks: 0,
  unknown: [],
}

const NO_SUCH_WORKER = { status: 404, code: 10007, message: 'This Worker does not exist on your account.' }
const BUCKET_EXISTS = {
  status: 409,
  code: 10004,
  message: 'The bucket you tried to create already exists, and you own it.',
}
const queueRow = queue_name => ({
  queue_name,
  queue_id: `id-${queue_name}`,
  ...{ producers: [], producers_total_count: 0, consumers: [], consumers_total_count: 0 },
})
const DEPLOYED = { id: 'd', source: 'wrangler', versions: [{ version_id: 'v', percentage: 100 }] }
const worker = name => account.workers[name]

/** What an upload says of the Worker, beside its code. */
const metadataOf = body => JSON.parse(/name="metadata"\r?\n(?:.*\r?\n)*?\r?\n([\s\S]*?)\r?\n--/.exec(body)?.[1] ?? '{}')

/** By method and path: `result`, or an error. */
const ROUTES = [
  ['GET /d1/database', ({ query }) => (query.get('page') === '1' ? account.databases : [])],
  [
    'POST /d1/database',
    ({ json }) => {
      const made = { uuid: crypto.randomUUID(), version: 'production', ...json() }
      account.databases.push(made)
      return made
    },
  ],
  ['GET /d1/database/:id', ({ id }) => account.databases.find(({ uuid }) => uuid === id)],
  ['GET /d1/database/:id/time_travel/bookmark', () => ({ bookmark: `0000-${++account.bookmarks}` })],
  ['POST /d1/database/:id/query', () => [{ results: [], success: true, meta: { duration: 1 } }]],
  [
    'GET /queues',
    ({ query }) => {
      const names = query.getAll('name')
      return account.queues.filter(name => names.length === 0 || names.includes(name)).map(queueRow)
    },
  ],
  [
    'POST /queues',
    ({ json }) => {
      account.queues.push(json().queue_name)
      account.queueSettings[json().queue_name] = json().settings
      return queueRow(json().queue_name)
    },
  ],
  [
    'PATCH /queues/:id',
    ({ id, json }) => {
      const name = id.replace(/^id-/, '')
      account.queueSettings[name] = { ...account.queueSettings[name], ...json().settings }
      return queueRow(name)
    },
  ],
  [
    'POST /queues/:id/consumers',
    ({ id, json }) => {
      account.consumers[id] = json()
      return json()
    },
  ],
  [
    'POST /r2/buckets',
    ({ json }) => {
      if (account.buckets.some(({ name }) => name === json().name)) return { error: BUCKET_EXISTS }
      account.buckets.push(json())
      return {}
    },
  ],
  ['GET /r2/buckets/:id', ({ id }) => account.buckets.find(({ name }) => name === id)],
  [
    'GET /workers/scripts/:id/secrets',
    ({ id }) => worker(id)?.secrets.map(name => ({ name })) ?? { error: NO_SUCH_WORKER },
  ],
  [
    'PUT /workers/scripts/:id/secrets',
    ({ id, json }) => {
      const { name, text } = json()
      account.workers[id].secrets = [...new Set([...worker(id).secrets, name])]
      account.workers[id].put = { ...worker(id).put, [name]: text }
      return { name, type: 'secret_text' }
    },
  ],
  ['GET /workers/scripts/:id/settings', ({ id }) => (worker(id) ? { bindings: [] } : { error: NO_SUCH_WORKER })],
  [
    'GET /workers/services/:id',
    ({ id }) =>
      worker(id)
        ? {
            id,
            default_environment: { environment: 'production', script: { last_deployed_from: 'wrangler', tag: 't' } },
          }
        : { error: { ...NO_SUCH_WORKER, code: 10090 } },
  ],
  ['GET /workers/scripts/:id/deployments', () => ({ deployments: [DEPLOYED] })],
  ['POST /workers/scripts/:id/assets-upload-session', () => ({ jwt: 'a.e30=.c', buckets: [] })],
  [
    'PUT /workers/scripts/:id',
    ({ id, body }) => {
      const metadata = metadataOf(body)
      const secrets = metadata.bindings.filter(({ type }) => type === 'secret_text').map(({ name }) => name)
      // Secrets stay, unless a list of what stays is sent that does not have them.
      const kept = metadata.keep_bindings?.includes('secret_text') !== false ? (worker(id)?.secrets ?? []) : []
      account.workers[id] = { ...worker(id), metadata, secrets: [...new Set([...kept, ...secrets])] }
      return { id, etag: 'e', deployment_id: 'd', startup_time_ms: 10, available_on_subdomain: true, tag: 't' }
    },
  ],
  [
    'PUT /workers/scripts/:id/domains/records',
    ({ id, json }) => {
      account.workers[id].domains = json().origins.map(({ hostname }) => hostname)
      return {}
    },
  ],
  ['GET /workers/subdomain', () => ({ subdomain: 'acme-inc' })],
  ['GET /workers/scripts/:id/subdomain', () => ({ enabled: false, previews_enabled: false })],
  [
    'POST /workers/scripts/:id/subdomain',
    ({ id, json }) => {
      account.workers[id].subdomain = json()
      return json()
    },
  ],
]

const patterns = ROUTES.map(([route, answer]) => ({
  answer,
  pattern: new RegExp(`^${route.replace(':id', '([^/]+)')}$`),
}))

const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString('latin1')
  const { pathname, searchParams: query } = new URL(request.url, 'http://api')
  const asked = `${request.method} ${pathname.replace(/^\/accounts\/[^/]+/, '')}`
  const route = patterns.find(({ pattern }) => pattern.test(asked))
  const id = route?.pattern.exec(asked)?.[1]
  if (route === undefined) account.unknown.push(asked)
  const result = route === undefined ? [] : route.answer({ id, query, body, json: () => JSON.parse(body) })
  const error = result?.error
  response.writeHead(error?.status ?? 200, { 'content-type': 'application/json' })
  const errors = error === undefined ? [] : [{ code: error.code, message: error.message }]
  response.end(JSON.stringify({ success: errors.length === 0, errors, messages: [], result: error ? null : result }))
  writeFileSync(file, JSON.stringify(account))
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
