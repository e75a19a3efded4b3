import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import {
  createBucket,
  createDatabase,
  createQueue,
  deployedVersion,
  deployVersions,
  getWorker,
  newAccount,
  putSecrets,
  Refusal,
  refuseUnsplittable,
  showDeployment,
  showVersion,
  uploadWorker,
  versionOf,
} from './cloudflare-account.js'

// Stands in for Cloudflare's API, as far as wrangler 4.86 calls it for an installation: keeps one account, and writes it to the
// file that is its argument after each change. Prints its port. What it refuses stands in cloudflare-account.js.
const [file] = process.argv.slice(2)
const account = { ...newAccount(), queueSettings: {}, consumers: {}, unknown: [] }

function queueRow(queue_name) {
  const queue_id = `id-${queue_name}`
  const consumer = account.consumers[queue_id]
  const consumers = consumer === undefined ? [] : [{ type: 'worker', consumer_id: 'c', script: consumer.script_name }]
  return {
    queue_name,
    queue_id,
    producers: [],
    producers_total_count: 0,
    consumers,
    consumers_total_count: consumers.length,
  }
}
const worker = name => getWorker(account, name)

/** Parses the metadata of an upload, beside its code. */
const metadataOf = body => JSON.parse(/name="metadata"\r?\n(?:.*\r?\n)*?\r?\n([\s\S]*?)\r?\n--/.exec(body)?.[1] ?? '{}')
const exportsOf = body =>
  [...body.matchAll(/export\s*\{([^}]*)\}/g)].flatMap(([, names]) =>
    names.split(',').map(name =>
      name
        .trim()
        .split(/\s+as\s+/)
        .at(-1),
    ),
  )

function upload(name, body, isDeployed) {
  const metadata = metadataOf(body)
  const secrets = metadata.bindings.filter(({ type }) => type === 'secret_text')
  const [newest] = account.workers[name]?.versions ?? []
  const known = newest?.bindings ?? []
  const isSecret = each => each.type === 'inherit' && each.name in (newest?.secrets ?? {})
  const inherited = Object.fromEntries(
    metadata.bindings.filter(isSecret).map(each => [each.name, newest.secrets[each.name]]),
  )
  const version = uploadWorker(
    account,
    name,
    {
      bindings: metadata.bindings
        .filter(each => each.type !== 'secret_text' && !isSecret(each))
        .map(each => (each.type === 'inherit' ? (known.find(one => one.name === each.name) ?? each) : each)),
      exported: exportsOf(body),
      migrations: metadata.migrations,
      secrets: { ...inherited, ...Object.fromEntries(secrets.map(({ name: secret, text }) => [secret, text])) },
      tag: metadata.annotations?.['workers/tag'],
      message: metadata.annotations?.['workers/message'],
      // One that deletes a secret names those that stay.
      keepsSecrets: metadata.keep_bindings?.includes('secret_text'),
    },
    isDeployed,
  )
  Object.assign(account.workers[name], { metadata })
  return version
}
const BOUNDARY = 'a-boundary-of-at-least-27-characters'
/** The code of a version, as wrangler reads it to make another one of it: what it exports. */
const contentOf = id => ({
  headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, 'cf-entrypoint': 'index.js' },
  body: [
    `--${BOUNDARY}`,
    'Content-Disposition: form-data; name="index.js"; filename="index.js"',
    'Content-Type: application/javascript+module',
    '',
    `export { ${worker(id).classes.join(', ')} }`,
    `--${BOUNDARY}--`,
    '',
  ].join('\r\n'),
})
const UPLOADED = { startup_time_ms: 10, available_on_subdomain: true, tag: 't', etag: 'e' }

/** The routes by method and path, each with its `result`; a refusal is thrown. */
const ROUTES = [
  ['GET /d1/database', ({ query }) => (query.get('page') === '1' ? account.databases : [])],
  ['POST /d1/database', ({ json }) => createDatabase(account, json())],
  ['GET /d1/database/:id', ({ id }) => account.databases.find(({ uuid }) => uuid === id)],
  ['GET /d1/database/:id/time_travel/bookmark', () => ({ bookmark: `0000-${++account.bookmarks}` })],
  [
    'POST /d1/database/:id/query',
    ({ json }) => {
      refuseUnsplittable(json().sql)
      return [{ results: [], success: true, meta: { duration: 1 } }]
    },
  ],
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
      createQueue(account, json().queue_name)
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
      worker(json().script_name)
      account.consumers[id] = json()
      return json()
    },
  ],
  [
    'PUT /queues/:id/consumers/:id',
    ({ id, json }) => {
      account.consumers[id] = json()
      return json()
    },
  ],
  [
    'POST /r2/buckets',
    ({ json }) => {
      createBucket(account, json())
      return {}
    },
  ],
  ['GET /r2/buckets/:id', ({ id }) => account.buckets.find(({ name }) => name === id)],
  [
    'GET /workers/scripts',
    () => Object.entries(account.workers).map(([id, { migrationTag }]) => ({ id, migration_tag: migrationTag })),
  ],
  [
    'GET /workers/scripts/:id/secrets',
    ({ id }) => Object.keys(deployedVersion(worker(id)).secrets).map(name => ({ name, type: 'secret_text' })),
  ],
  [
    'PUT /workers/scripts/:id/secrets',
    ({ id, json }) => {
      const { name, text } = json()
      putSecrets(account, id, { [name]: text })
      return { name, type: 'secret_text' }
    },
  ],
  [
    'DELETE /workers/scripts/:id/secrets/:id',
    ({ id, second }) => {
      putSecrets(account, id, { [second]: undefined })
      return null
    },
  ],
  ['GET /workers/scripts/:id/settings', ({ id }) => ({ bindings: deployedVersion(worker(id)).bindings })],
  ['GET /workers/scripts/:id/content/v2', ({ id }) => ({ content: contentOf(id) })],
  ['GET /workers/scripts/:id/script-settings', () => ({ logpush: false })],
  ['PATCH /workers/scripts/:id/script-settings', ({ id, json }) => worker(id) && json()],
  [
    'GET /workers/services/:id',
    ({ id }) => {
      if (!account.workers[id]) throw new Refusal(10090, 'This service does not exist on your account.', 404)
      const script = { last_deployed_from: 'wrangler', tag: 't', migration_tag: worker(id).migrationTag }
      return { id, default_environment: { environment: 'production', script } }
    },
  ],
  ['GET /workers/scripts/:id/deployments', ({ id }) => ({ deployments: worker(id).deployments.map(showDeployment) })],
  [
    'POST /workers/scripts/:id/deployments',
    ({ id, json, query }) => {
      deployVersions(account, id, json().versions, query.get('force') === 'true')
      return showDeployment(worker(id).deployments[0])
    },
  ],
  ['GET /workers/scripts/:id/versions', ({ id }) => ({ items: worker(id).versions.map(showVersion) })],
  ['POST /workers/scripts/:id/versions', ({ id, body }) => ({ ...showVersion(upload(id, body, false)), ...UPLOADED })],
  ['GET /workers/scripts/:id/versions/:id', ({ id, second }) => showVersion(versionOf(worker(id), second))],
  ['POST /workers/scripts/:id/assets-upload-session', () => ({ jwt: 'a.e30=.c', buckets: [] })],
  ['PUT /workers/scripts/:id', ({ id, body }) => ({ id, deployment_id: upload(id, body, true).id, ...UPLOADED })],
  [
    'PUT /workers/scripts/:id/domains/records',
    ({ id, json }) => {
      worker(id).domains = json().origins.map(({ hostname }) => hostname)
      return {}
    },
  ],
  ['GET /workers/subdomain', () => ({ subdomain: 'acme-inc' })],
  ['GET /workers/scripts/:id/subdomain', () => ({ enabled: false, previews_enabled: false })],
  [
    'POST /workers/scripts/:id/subdomain',
    ({ id, json }) => {
      worker(id).subdomain = json()
      return json()
    },
  ],
]

const patterns = ROUTES.map(([route, answer]) => ({
  answer,
  pattern: new RegExp(`^${route.replaceAll(':id', '([^/]+)')}$`),
}))

const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString('latin1')
  const { pathname, searchParams: query } = new URL(request.url, 'http://api')
  const asked = `${request.method} ${pathname.replace(/^\/accounts\/[^/]+/, '')}`
  const route = patterns.find(({ pattern }) => pattern.test(asked))
  const [, id, second] = route?.pattern.exec(asked) ?? []
  if (route === undefined) account.unknown.push(asked)
  const { result, error } = answer(route, { id, second, query, body, json: () => JSON.parse(body) })
  if (result?.content) {
    response.writeHead(200, result.content.headers)
    return response.end(result.content.body)
  }
  response.writeHead(error?.status ?? 200, { 'content-type': 'application/json' })
  const errors = error === undefined ? [] : [{ code: error.code, message: error.message }]
  response.end(JSON.stringify({ success: errors.length === 0, errors, messages: [], result: error ? null : result }))
  writeFileSync(file, JSON.stringify(account))
})

function answer(route, request) {
  try {
    return { result: route === undefined ? [] : route.answer(request) }
  } catch (error) {
    if (error instanceof Refusal) return { error }
    throw error
  }
}
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
