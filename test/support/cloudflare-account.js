// The state and the refusals of a Cloudflare account, as far as an installation needs them: the emulated API
// (fake-cloudflare.js) and the emulated wrangler (fake-wrangler.js) both act on it. Codes and texts are Cloudflare's,
// where they are public; each refusal is the strictest that is known.

export class Refusal extends Error {
  constructor(code, message, status = 400) {
    super(message)
    this.code = code
    this.status = status
  }
}

export const newAccount = () => ({
  ...{ databases: [], queues: [], buckets: [], bookmarks: 0, workers: {}, secrets: {}, paused: [] },
})

const QUEUE_NAME = /^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/
const BUCKET_NAME = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/
const DATABASE_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/

export function createQueue(account, name) {
  if (!QUEUE_NAME.test(name)) throw new Refusal(11003, `Queue name '${name}' is invalid.`)
  if (account.queues.includes(name)) throw new Refusal(11009, `Queue name '${name}' is already taken.`, 409)
  account.queues.push(name)
}

export function createBucket(account, bucket) {
  if (!BUCKET_NAME.test(bucket.name)) throw new Refusal(10005, 'The specified bucket name is not valid.')
  if (account.buckets.some(({ name }) => name === bucket.name))
    throw new Refusal(10004, 'The bucket you tried to create already exists, and you own it.', 409)
  account.buckets.push(bucket)
}

export function createDatabase(account, database) {
  if (!DATABASE_NAME.test(database.name)) throw new Refusal(7400, `Invalid database name: ${database.name}`)
  if (account.databases.some(({ name }) => name === database.name))
    throw new Refusal(7502, 'A database with that name already exists', 409)
  const made = { uuid: crypto.randomUUID(), version: 'production', ...database }
  account.databases.push(made)
  return made
}

/**
 * A text of several statements is split on Cloudflare's side. The strictest splitter that is known ends a statement at each
 * semicolon, but for those between an upper-case BEGIN and END of one line, and takes no CRLF.
 */
export function refuseUnsplittable(sql) {
  const incomplete = piece => new Refusal(7500, `incomplete input: SQLITE_ERROR at: ${piece.trim().slice(0, 80)}`)
  if (sql.includes('\r')) throw incomplete(sql.slice(Math.max(0, sql.indexOf('\r') - 40)))
  const bare = sql.replace(/^\s*--.*$/gm, '').replace(/'(?:[^']|'')*'/g, text => text.replaceAll(';', ' '))
  const masked = bare.replace(/ BEGIN .* END(?=;|$)/gm, text => text.replaceAll(';', ' '))
  for (const piece of masked.split(';')) {
    const opened = (piece.match(/\(/g) ?? []).length - (piece.match(/\)/g) ?? []).length
    const isTrigger = /^\s*CREATE\s+TRIGGER/i.test(piece)
    if (opened !== 0 || (isTrigger && !/ BEGIN .* END\s*$/.test(piece)) || /^\s*END\s*$/i.test(piece))
      throw incomplete(piece)
  }
}

const NO_SUCH_WORKER = 'This Worker does not exist on your account.'

export function getWorker(account, name) {
  const worker = account.workers[name]
  if (!worker) throw new Refusal(10007, NO_SUCH_WORKER, 404)
  return worker
}

export const versionOf = (worker, id) => {
  const version = worker.versions.find(each => each.id === id)
  if (!version) throw new Refusal(10206, `The requested Worker version could not be found: ${id}`, 404)
  return version
}
export const deployedVersion = worker => versionOf(worker, worker.deployments[0].versions[0].version_id)

/** Returns the steps after the deployed tag, as wrangler sends them; all of them, where it is not among these. */
export function migrationsSince(migrations, deployedTag) {
  const at = migrations.findIndex(({ tag }) => tag === deployedTag)
  if (deployedTag !== undefined && at === migrations.length - 1) return undefined
  return {
    ...(deployedTag === undefined ? {} : { old_tag: deployedTag }),
    new_tag: migrations.at(-1)?.tag,
    steps: migrations.slice(at + 1).map(({ tag: _, ...step }) => step),
  }
}

function applyMigrations(worker, { old_tag: oldTag, new_tag: newTag, steps = [] }) {
  if (oldTag !== worker.migrationTag)
    throw new Refusal(10079, `Migration tag precondition failed; current tag is ${worker.migrationTag ?? 'unset'}.`)
  let classes = [...worker.classes]
  const has = name => classes.includes(name)
  for (const { new_classes = [], new_sqlite_classes = [], deleted_classes = [], renamed_classes = [] } of steps) {
    for (const name of [...new_classes, ...new_sqlite_classes]) {
      if (has(name))
        throw new Refusal(
          10074,
          `Cannot apply new-sqlite-class migration to class '${name}' that is already depended on by existing Durable Objects`,
        )
      classes.push(name)
    }
    for (const name of deleted_classes) {
      if (!has(name)) throw new Refusal(10073, `Cannot apply delete-class migration to unknown class '${name}'`)
      classes = classes.filter(each => each !== name)
    }
    for (const { from, to } of renamed_classes) {
      if (!has(from)) throw new Refusal(10072, `Cannot apply rename-class migration to unknown class '${from}'`)
      classes = classes.map(each => (each === from ? to : each))
    }
  }
  return { classes, migrationTag: newTag }
}

function refuseMissing(account, bindings) {
  for (const { type, ...binding } of bindings) {
    if (type === 'd1' && !account.databases.some(({ uuid }) => uuid === binding.id))
      throw new Refusal(10181, `D1 binding '${binding.name}' references database '${binding.id}' which was not found.`)
    if (type === 'r2_bucket' && !account.buckets.some(({ name }) => name === binding.bucket_name))
      throw new Refusal(
        10085,
        `R2 bucket '${binding.bucket_name}' not found. Please use a different name and try again.`,
      )
    if (type === 'queue' && !account.queues.includes(binding.queue_name))
      throw new Refusal(100400, `Queue '${binding.queue_name}' does not exist.`)
  }
}

/**
 * An upload of code. `exported`: the names of the classes that it exports. Without `isDeployed` it is a version that nobody
 * meets yet.
 */
export function uploadWorker(account, name, uploaded, isDeployed = true) {
  const { bindings, exported, migrations, secrets = {}, tag, message, keepsSecrets = true } = uploaded
  refuseMissing(account, bindings)
  const worker = account.workers[name] ?? { versions: [], deployments: [], classes: [] }
  if (!isDeployed && !account.workers[name]) throw new Refusal(10007, NO_SUCH_WORKER, 404)
  if (!isDeployed && migrations)
    throw new Refusal(
      10211,
      'Version upload failed. You attempted to upload a version of a Worker that includes a Durable Object migration, but migrations must be fully applied by running "wrangler deploy".',
    )
  const { classes, migrationTag } = migrations ? applyMigrations(worker, migrations) : worker
  const lacking = classes.find(each => !exported.includes(each))
  if (lacking)
    throw new Refusal(
      10064,
      `New version of script does not export class '${lacking}' which is depended on by existing Durable Objects. If you want to delete existing Durable Objects, include a delete-class migration.`,
    )
  const unknown = bindings.find(each => each.type === 'durable_object_namespace' && !classes.includes(each.class_name))
  if (unknown)
    throw new Refusal(
      10061,
      `Cannot create binding for class '${unknown.class_name}' because it is not currently configured to implement Durable Objects.`,
    )
  Object.assign(worker, { classes, migrationTag })
  account.workers[name] = worker
  const version = addVersion(worker, 'upload', {
    bindings,
    tag,
    message,
    secrets: { ...(keepsSecrets ? worker.versions[0]?.secrets : {}), ...secrets },
  })
  if (isDeployed) addDeployment(account, name, [{ version_id: version.id, percentage: 100 }])
  return version
}

function addVersion(worker, triggeredBy, more) {
  const number = (worker.versions[0]?.number ?? 0) + 1
  const version = { id: crypto.randomUUID(), number, createdOn: new Date().toISOString(), triggeredBy, ...more }
  version.migrationTag = worker.migrationTag
  worker.versions.unshift(version)
  return version
}

function addDeployment(account, name, versions) {
  const worker = account.workers[name]
  worker.deployments.unshift({ id: crypto.randomUUID(), createdOn: new Date().toISOString(), versions })
  account.secrets = { ...account.secrets, [name]: deployedVersion(worker).secrets }
}

/** A new version of the newest code, which has to be what is deployed. A secret that is undefined is removed. */
export function putSecrets(account, name, values) {
  const worker = getWorker(account, name)
  const [newest] = worker.versions
  if (worker.deployments[0].versions.some(({ version_id: id }) => id !== newest.id))
    throw new Refusal(
      10215,
      "Secret edit failed. You attempted to modify a secret, but the latest version of your Worker isn't currently deployed.",
    )
  const missing = Object.keys(values).find(key => values[key] === undefined && !(key in newest.secrets))
  if (missing) throw new Refusal(10056, `Secret "${missing}" not found.`, 404)
  const version = putVersionSecrets(account, name, values)
  addDeployment(account, name, [{ version_id: version.id, percentage: 100 }])
}

/** The same, without deploying it. */
export function putVersionSecrets(account, name, values, message) {
  const worker = getWorker(account, name)
  const [newest] = worker.versions
  const { bindings, tag } = newest
  const secrets = Object.fromEntries(
    Object.entries({ ...newest.secrets, ...values }).filter(([, value]) => value !== undefined),
  )
  return addVersion(worker, message === undefined ? 'secret' : 'version_upload', { bindings, tag, secrets, message })
}

/** Changes the versions that requests go to. */
export function deployVersions(account, name, versions, isForced = false) {
  const worker = getWorker(account, name)
  const sum = versions.reduce((total, { percentage }) => total + percentage, 0)
  const isShare = ({ percentage }) => percentage >= 0 && percentage <= 100
  const ids = new Set(versions.map(({ version_id: id }) => id))
  if (
    versions.length < 1 ||
    versions.length > 2 ||
    ids.size < versions.length ||
    !versions.every(isShare) ||
    sum !== 100
  )
    throw new Refusal(10204, 'The percentages of one or two versions must be 100 together.')
  const newest = worker.versions[0]
  for (const { version_id: id } of versions) {
    const version = versionOf(worker, id)
    if (version.migrationTag !== worker.migrationTag)
      throw new Refusal(
        10209,
        `Cannot deploy version ${id}: a Durable Object migration has occurred between it and the active deployment.`,
      )
    const changed = Object.keys({ ...version.secrets, ...newest.secrets }).filter(
      key => version.secrets[key] !== newest.secrets[key],
    )
    if (changed.length > 0 && !isForced)
      throw new Refusal(
        10220,
        `Secrets have changed since version ${id} was deployed. The following secrets have changed: ${changed.join(', ')}`,
      )
  }
  addDeployment(account, name, versions)
}

/** A version, as Cloudflare's API and wrangler show it. */
export const showVersion = ({ id, number, createdOn, triggeredBy, migrationTag, bindings, tag, secrets, message }) => ({
  ...{ id, number, metadata: { created_on: createdOn, source: 'wrangler', author_email: 'a@b.co' } },
  annotations: {
    'workers/triggered_by': triggeredBy,
    ...(tag === undefined ? {} : { 'workers/tag': tag }),
    ...(message === undefined ? {} : { 'workers/message': message }),
  },
  resources: {
    // Of a secret the name alone is shown.
    bindings: [...bindings, ...Object.keys(secrets).map(name => ({ type: 'secret_text', name }))],
    script: {},
    script_runtime: { migration_tag: migrationTag },
  },
})

/** A deployment, likewise. */
export const showDeployment = ({ id, createdOn, versions }) => ({
  ...{ id, created_on: createdOn, source: 'wrangler', strategy: 'percentage', versions },
})
