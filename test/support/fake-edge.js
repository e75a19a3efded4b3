import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'

// Stands in for the places of Cloudflare where requests to one Worker arrive: a version that is named in a header answers if it is
// in the deployment of now, whatever its share; otherwise the version with the largest share. Each answers the deep health alone.
// Arguments: the account of fake-wrangler.js, and the Worker. In `<account>.edge.json` is what is wrong: from the share `failsAt` on,
// every version but the one in `works` fails. Each request is a line of `<account>.edge`: its path and the version that was named.
const [file, worker] = process.argv.slice(2)
const OPERATOR = 'Bearer the-token-of-the-operator'
const NAMED = new RegExp(`^${worker}="([0-9a-f-]{36})"$`)

const readJson = name => (existsSync(name) ? JSON.parse(readFileSync(name, 'utf8')) : {})

function answer({ url, headers }) {
  const parts = readJson(file).workers[worker].deployments[0].versions
  const [, named] = NAMED.exec(headers['cloudflare-workers-version-overrides'] ?? '') ?? []
  appendFileSync(`${file}.edge`, `${url} ${named ?? 'none'}\n`)
  const largest = [...parts].sort((one, other) => other.percentage - one.percentage)[0]
  const part = parts.find(each => each.version_id === named) ?? largest
  if (url !== '/v1/health?deep=true') return [404, { _errors: ['not found'] }]
  if (headers.authorization !== OPERATOR) return [401, { _errors: ['this is not the token of the operator'] }]
  const { failsAt = Number.POSITIVE_INFINITY, works } = readJson(`${file}.edge.json`)
  const fails = part.version_id !== works && part.percentage >= failsAt
  const queues = fails ? { status: 'failing', reason: 'takes no message' } : { status: 'ok' }
  const status = fails ? 'failing' : 'ok'
  return [fails ? 503 : 200, { _data: { status, version: '1', deployment: part.version_id, checks: { queues } } }]
}

const server = createServer((request, response) => {
  const [status, body] = answer(request)
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
  response.end(JSON.stringify(body))
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
