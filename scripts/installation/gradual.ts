import { readFileSync } from 'node:fs'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { MINUTE_MS, SECOND_MS } from '../../src/time-units.ts'
import { must, type Run, SetupError } from './command.ts'
import { listQueues } from './config.ts'
import { checkFeatures } from './features.ts'
import { heedInterruption, unlessInterrupted } from './interruption.ts'
import { getWorkerName } from './names.ts'
import type { GradualOptions, Installation } from './options.ts'
import { readPauseState } from './pause-rules.ts'
import { readLastRun } from './record.ts'
import { listSecrets } from './resources.ts'
import { secretsToSet } from './secrets.ts'
import {
  deployParts,
  deployVersion,
  IN_STEPS,
  listVersions,
  type Part,
  type Running,
  readParts,
  readRunning,
  readVersion,
} from './versions.ts'

// An update in steps: the new version is uploaded, and gets a growing share of the requests as long as it works. Whatever goes
// wrong, the version before has all requests again. The account tells how far it is, so that any other command understands it.

/** The new version's, in percent. At 0 it is met by whoever names it in a header: so it is looked at before anybody else meets it. */
const SHARES = [0, 10, 50]
const WHOLE = 100

/** Every place of Cloudflare hears of a deployment for itself, within seconds. The checks of this command don't wait. */
const ASK_SECONDS = Number(process.env.GRADUAL_ASK_SECONDS ?? 2)
const ASKED_MAX = 30
const ANSWERS_IN_A_ROW = 3
/** The deep health is examined anew after half a minute, and costs the database something. */
const WATCH_SECONDS = 60
const ANSWER_MS_MAX = 30 * SECOND_MS

type Account = Pick<Installation, 'run' | 'config' | 'name'>

/** Its message says what is the case, and what to do. */
export class GradualError extends SetupError {}

const refusedInSteps = (name: string, reason: string): GradualError =>
  new GradualError(
    `it cannot be deployed in steps: ${reason}. Nothing was migrated or deployed. All at once it is deployed by:\n  npm run setup -- --name ${name}`,
  )

/** Before the configuration of the last run is written anew: that tells which domain there is. */
export function refuseOtherDomain(name: string, domain: string | undefined): void {
  if (domain !== readLastRun(name).domain)
    throw refusedInSteps(name, `the domain ${domain} leads to all versions or to none`)
}

interface Refusable extends GradualOptions {
  /** What the caller has given. */
  secrets: Record<string, string>
}

/** Refuses what cannot go in steps, before anything is done. Returns the version that runs. */
export async function checkGradual(installation: Account, options: Refusable): Promise<Running> {
  const { run, config, name } = installation
  const refuse = (reason: string): never => {
    throw refusedInSteps(name, reason)
  }
  const there = listSecrets(run, config)
  if (there.length === 0) return refuse('nothing is deployed yet, so there is no version to go back to')
  const running = readRunning(installation, endParts(installation))
  const { isPaused, restores } = readPauseState(running.secrets)
  if (isPaused || restores.length > 0) refuse(`${name} is paused, and the new version would be, too`)
  const { values } = secretsToSet(name, there, options.secrets)
  if (Object.keys(values).length > 0)
    refuse(`${Object.keys(values).join(', ')} would be set, and Cloudflare takes back no version from before that`)
  const text = readFileSync(config, 'utf8')
  const tag = [...text.matchAll(/^tag = "(.*)"$/gm)].at(-1)?.[1]
  if (readVersion(installation, running.id).tag !== tag)
    refuse(`the classes of Durable Objects change (${tag}), which Cloudflare does at once or not at all`)
  const queue = listQueues(text).find(each => !hasConsumer(run, each))
  if (queue !== undefined)
    refuse(`nobody takes the messages of the queue ${queue} before the new version has all requests`)
  const { version, faults } = await examine(options)
  if (faults.length > 0) refuse(`${name} does not work as it should before, at ${options.url}: ${faults.join('; ')}`)
  if (version !== running.id) refuse(`${options.url} is answered by the version ${version}, and ${running.id} runs`)
  return running
}

/** Without its consumer, the checks of the new version would wait for jobs that nobody runs. */
function hasConsumer(run: Run, queue: string): boolean {
  const { isDone, output } = run(['queues', 'info', queue])
  return isDone && !/Number of Consumers: 0/.test(output)
}

/** An update in steps that was killed leaves two versions: the one before gets all requests again. Returns what runs. */
export function endParts(installation: Account): readonly Part[] {
  const parts = readParts(installation)
  if (parts.length < 2) return parts
  const [newer, older] = listVersions(installation).filter(({ id }) => parts.some(part => part.id === id))
  if (newer === undefined || older === undefined)
    throw new SetupError('a version of a deployment in parts is not among those that Cloudflare lists')
  const { share } = parts.find(({ id }) => id === newer.id) ?? { share: 0 }
  console.log(`parts     an update in steps has not ended: ${newer.id} has ${share} % of the requests`)
  const changed = deployVersion(installation, older.id, `back from ${newer.id}`)
  if (changed.length > 0)
    throw new SetupError(
      `${older.id} has other values of ${changed.join(', ')}, and was not deployed: run setup from the code that is to run, without --gradual`,
    )
  console.log(`deployed  ${older.id} to all requests, as before that update`)
  return [{ id: older.id, share: WHOLE }]
}

interface Update extends GradualOptions {
  before: Running
  commit: string | undefined
}

/** Deploys the code in steps. If one of them fails, or the command is interrupted, what ran before has all requests again. */
export async function deployGradually(installation: Account, update: Update): Promise<void> {
  await heedInterruption(async interruption => {
    await deployAllSteps(installation, update, interruption)
    applyTriggers(installation)
  })
}

async function deployAllSteps(installation: Account, update: Update, interruption: AbortSignal): Promise<void> {
  const { before } = update
  const { name } = installation
  let uploaded: string | undefined
  try {
    const id = upload(installation, update.commit)
    uploaded = id
    console.log(`uploaded  ${id}. ${before.id} has all requests`)
    let parts: Part[] = [{ id: before.id, share: WHOLE }]
    for (const share of [...SHARES, WHOLE]) {
      // A signal that came during a command of wrangler is heard of now.
      await setImmediate()
      interruption.throwIfAborted()
      refuseIfChanged(installation, parts)
      parts = [...(share === WHOLE ? [] : [{ id: before.id, share: WHOLE - share }]), { id, share }]
      deployParts(installation, parts, `${share} % of the requests`)
      console.log(`deployed  ${id} to ${share} % of the requests`)
      await unlessInterrupted(interruption, () => look({ ...update, id, name, share }))
    }
  } catch (error) {
    const reason = error instanceof SetupError ? error.message : String(error)
    throw new GradualError(`${reason}\n\n${goBack(installation, before, uploaded)}`)
  }
}

function upload({ run, config }: Account, commit: string | undefined): string {
  const tag = commit === undefined ? [] : ['--tag', commit]
  const printed = must(run, ['versions', 'upload', '--config', config, '--message', IN_STEPS, ...tag])
  const [, id] = /Version ID: ([0-9a-f-]{36})/.exec(printed) ?? []
  if (id === undefined) throw new SetupError(`wrangler told no version:\n${printed}`)
  return id
}

/** Whoever paused, took back or deployed meanwhile is not overruled. */
function refuseIfChanged(installation: Account, parts: readonly Part[]): void {
  const toText = (some: readonly Part[]) =>
    some
      .map(({ id, share }) => `${id} ${share}`)
      .sort()
      .join()
  if (toText(readParts(installation)) !== toText(parts))
    throw new SetupError(`somebody has paused, resumed or deployed ${installation.name} meanwhile`)
}

/** Returns what is the case then. What somebody else has deployed meanwhile is left as it is. */
function goBack(installation: Account, before: Running, id: string | undefined): string {
  const { name } = installation
  if (id === undefined) return `Nothing was deployed: ${before.id} has all requests.`
  try {
    // A request of a command that broke off may be under way, so it is deployed even if it is already.
    if (readParts(installation).some(part => part.id !== id && part.id !== before.id))
      return 'What somebody else has deployed meanwhile is left as it is.'
    deployParts(installation, [{ id: before.id, share: WHOLE }], `back from ${id}`)
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    return `${error.message}\n\n${id} may have a part of the requests, or all of them. They go to the version before by:\n  npm run admin -- rollback --installation ${name} --to ${before.id}`
  }
  return `${before.id} has all requests again. The migrations stay: they only add.`
}

interface Look extends GradualOptions {
  id: string
  name: string
  share: number
}

async function look({ id, name, share, ...options }: Look): Promise<void> {
  const headers = { 'cloudflare-workers-version-overrides': `${getWorkerName(name)}="${id}"` }
  await waitUntilReached(options, id, headers)
  if (!(await checkFeatures(options.url, headers))) throw new SetupError(`${id} does not work as it should`)
  if (share === 0 || share === WHOLE) return
  console.log(`waiting   ${options.waitMinutes} minutes with ${share} % of the requests`)
  for (const until = Date.now() + options.waitMinutes * MINUTE_MS; Date.now() < until; ) {
    await setTimeout(Math.min(WATCH_SECONDS * SECOND_MS, until - Date.now()))
    await waitUntilReached(options, id, headers)
  }
}

/** A request that names a version which is not known yet where it arrives is answered by the other one. */
async function waitUntilReached(options: GradualOptions, id: string, headers: Record<string, string>): Promise<void> {
  let said = ''
  for (let asked = 0, answers = 0; asked < ASKED_MAX; asked += 1) {
    const { version, faults } = await examine(options, headers)
    said = faults.length > 0 ? faults.join('; ') : `${version} answers`
    answers = version === id && faults.length === 0 ? answers + 1 : 0
    if (answers === ANSWERS_IN_A_ROW) {
      console.log(`checked   ${options.url}/v1/health?deep=true: ok, by ${id}`)
      return
    }
    await setTimeout(ASK_SECONDS * SECOND_MS)
  }
  throw new SetupError(`${options.url}/v1/health?deep=true, asked ${ASKED_MAX} times for ${id}: ${said}`)
}

interface Examined {
  version: string | undefined
  faults: string[]
}

/** Asks the deep health, which tells its version whether or not a part fails. */
async function examine(
  { url, operatorToken }: GradualOptions,
  headers: Record<string, string> = {},
): Promise<Examined> {
  try {
    const response = await fetch(`${url}/v1/health?deep=true`, {
      headers: { ...headers, authorization: `Bearer ${operatorToken}` },
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    })
    const text = await response.text()
    const { _data: health } = JSON.parse(text) as { _data?: Health }
    const failing = Object.entries(health?.checks ?? {}).filter(([, { status }]) => status !== 'ok')
    const faults = failing.map(([check, { reason }]) => `${check}: ${reason ?? 'failing'}`)
    const isOk = response.status === 200 && health?.deployment !== undefined
    if (!isOk && faults.length === 0) faults.push(`status ${response.status}: ${text.slice(0, 200)}`)
    return { version: health?.deployment, faults }
  } catch (error) {
    return { version: undefined, faults: [`no answer that is understood (${(error as Error).message})`] }
  }
}

interface Health {
  deployment?: string
  checks?: Record<string, { status: string; reason?: string }>
}

/** Routes, the cron and what queues deliver to are of no version. */
function applyTriggers({ run, config, name }: Account): void {
  try {
    must(run, ['triggers', 'deploy', '--config', config])
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    throw new GradualError(
      `${error.message}\n\nThe new version has all requests. What may be as before are the cron and how queues deliver. They follow by:\n  npm run setup -- --name ${name}`,
    )
  }
}

/** The same without an account. */
export function printGradual(run: Run, config: string, commit: string | undefined): void {
  const tag = commit === undefined ? [] : ['--tag', commit]
  must(run, ['versions', 'upload', '--config', config, '--message', IN_STEPS, ...tag])
  for (const share of [...SHARES, WHOLE]) {
    const before = share === WHOLE ? [] : [`<before>@${WHOLE - share}%`]
    must(run, ['versions', 'deploy', ...before, `<new>@${share}%`, '--yes', '--config', config])
  }
  must(run, ['triggers', 'deploy', '--config', config])
}
