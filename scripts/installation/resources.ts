import { describeFailure, must, type Run, SetupError } from './command.ts'

/** Where a database can be, for good, and the region of a cloud beside which its requests run. */
export const REGIONS: Record<string, string> = {
  weur: 'aws:eu-west-1',
  eeur: 'aws:eu-central-1',
  apac: 'aws:ap-southeast-1',
  oc: 'aws:ap-southeast-2',
  wnam: 'aws:us-west-2',
  enam: 'aws:us-east-1',
}
export const LOCATIONS = Object.keys(REGIONS)

/** Without this, wrangler offers to write what it has made into wrangler.toml. */
const NO_CHANGE = '--update-config=false'
const UNLESS_THERE = { note: 'unless it is there' }

/** The id of the database of this name, if there is one. */
export function findDatabase(run: Run, name: string): string | undefined {
  const printed = must(run, ['d1', 'list', '--json'])
  const databases = (printed === '' ? [] : JSON.parse(printed)) as { name: string; uuid: string }[]
  return databases.find(each => each.name === name)?.uuid
}

export const createDatabase = (run: Run, name: string, location: string): string =>
  must(run, ['d1', 'create', name, `--location=${location}`, NO_CHANGE], UNLESS_THERE)

/** True if it had to be made. */
export function ensureQueue(run: Run, name: string): boolean {
  const info = ['queues', 'info', name]
  const found = run(info)
  if (found.isDone && found.stdout !== '') return false
  if (!found.isDone && !found.output.includes('does not exist'))
    throw new SetupError(describeFailure(info, found.output))
  must(run, ['queues', 'create', name, RETENTION], UNLESS_THERE)
  return true
}

/** As long as Cloudflare keeps messages: what waits for a database, or for the end of a pause, must not be gone before. */
const RETENTION = `--message-retention-period-secs=${14 * 24 * 60 * 60}`

const BUCKET_EXISTS = /\[code: 10004\]|already exists, and you own it/

/** Lists of buckets have pages, which wrangler does not turn; so it is made, and found out whether it was there. */
export function ensureBucket(run: Run, name: string, location: string): boolean {
  const create = ['r2', 'bucket', 'create', name, `--location=${location}`, NO_CHANGE]
  const { isDone, output } = run(create, UNLESS_THERE)
  if (isDone) return true
  if (BUCKET_EXISTS.test(output)) return false
  throw new SetupError(describeFailure(create, output))
}

/** The names of the Worker's secrets. Before the first deployment there is no Worker. */
export function listSecrets(run: Run, config: string): string[] {
  const list = ['secret', 'list', '--config', config]
  const { isDone, stdout, output } = run(list)
  if (isDone) return stdout === '' ? [] : (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name)
  if (/Worker ".*" not found/.test(output)) return []
  throw new SetupError(describeFailure(list, output))
}

/** Where the database can be taken back to: now, or as it was at a moment, which Cloudflare may not have. */
export function takeBookmark(run: Run, config: string, moment?: Date): string {
  const at = moment === undefined ? [] : [`--timestamp=${moment.toISOString()}`]
  const printed = must(run, ['d1', 'time-travel', 'info', 'DB', '--json', ...at, '--config', config])
  return printed === '' ? '' : (JSON.parse(printed) as { bookmark: string }).bookmark
}
