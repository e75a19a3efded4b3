import { readFileSync } from 'node:fs'
import { describeFailure, must, SetupError } from './command.ts'
import { listQueues } from './config.ts'
import { endParts } from './gradual.ts'
import type { Installation } from './options.ts'
import { decide, listPauseSecrets, PAUSED, readPauseState } from './pause-rules.ts'
import { forgetRestore } from './restore-record.ts'
import { deployVersion, describeOver, isRolledBack, type Running, readRunning, readVersion } from './versions.ts'

/** What the Worker reads of the secret: `src/http/pause.ts`. Without the secret it goes on. */
type Pause = 'true' | 'closed' | 'restored'

/**
 * Pauses an installation. It takes no deployment, which could be of other code than runs, and no database, which may be
 * what does not answer: a secret is a new version of the code that runs. The queues stop to deliver, so that waiting takes
 * none of the attempts that their messages have.
 */
export async function pause(installation: Installation): Promise<void> {
  const { name } = installation
  const next = `Whether ${name} is paused is not known. Run the same command again: running it again does no harm.`
  const running = withNext(next, () => readRunning(installation, endParts(installation)))
  const stays = decide(readPauseState(running.secrets), { verb: 'pause' }) === 'stays'
  if (!stays) withNext(next, () => setPause(installation, running, 'true'))
  await forEachQueue(installation, 'pause-delivery')
  console.log(
    stays
      ? `${name} is closed by a restore that has not ended, which is more than a pause: it stays so.\nIt goes on when that restore is run again, to its end.`
      : `${name} is paused: reads go on, everything else is refused with 503 or waits. Requests and jobs that had begun end within a minute.\nIt goes on by:  npm run admin -- resume --installation ${name}`,
  )
}

interface ResumeOptions {
  /** Opens what a restore that broke off has closed. */
  abandonsRestore: boolean
}

/** The queues follow when the Worker takes what they deliver. */
export async function resume(installation: Installation, { abandonsRestore }: ResumeOptions): Promise<void> {
  const { name } = installation
  const next = `Whether ${name} goes on is not known. Run the same command again: running it again does no harm.`
  const running = withNext(next, () => readRunning(installation, endParts(installation)))
  if (decide(readPauseState(running.secrets), { verb: 'resume', abandonsRestore }) === 'unfinished')
    throw new SetupError(
      `${name} is closed by a restore that has not ended: to open it now would bring back keys that were revoked and customers who were erased. Nothing was changed. Run that restore again, with the same time, where it was begun. To open ${name} without what it has left to do:
  npm run admin -- resume --installation ${name} --abandon-restore`,
    )
  withNext(next, () => endPause(installation, running))
  forgetRestore(installation)
  await forEachQueue(installation, 'resume-delivery')
  console.log(`${name} goes on`)
}

/** What fails is followed by what to do next. */
export function withNext<Result>(next: string, act: () => Result): Result {
  try {
    return act()
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    throw new SetupError(`${error.message}\n\n${next}`)
  }
}

/** Sets PAUSED, and with it what tells everybody of a restore. */
export function setPause(installation: Installation, running: Running, value: Pause, restore?: string): void {
  // What tells of a restore comes first: without it, an end of the pause would open what is closed.
  const values = [...(restore === undefined ? [] : [[restore, new Date().toISOString()]]), [PAUSED, value]] as const
  const { run, config, name } = installation
  if (isRolledBack(running)) {
    // Cloudflare changes no secret of a version that is not the newest one. So the newest one is paused, which changes nothing
    // then, whatever is wrong with it; the end of the pause deploys what ran before.
    const paused = running.pausedVersion ?? running.id
    const ids = values.map(([secret = '', input = '']) =>
      changeNewest(installation, ['put', secret], describeOver(paused), input),
    )
    deployOrFail(installation, ids.at(-1) ?? '')
  } else
    for (const [secret = '', input = ''] of values) must(run, ['secret', 'put', secret, '--config', config], { input })
  console.log(`secret    PAUSED of ${name} is "${value}"`)
}

/** Takes away what tells of a pause or of a restore, PAUSED last: until then nothing is open. */
export function endPause(installation: Installation, running: Running): void {
  const { run, config, name } = installation
  const state = readPauseState(running.secrets)
  if (!isRolledBack(running)) {
    for (const secret of listPauseSecrets(state)) must(run, ['secret', 'delete', secret, '--config', config])
  } else {
    // What is deployed next has the secrets of the newest one.
    clearNewest(installation, running)
    if (running.pausedVersion !== undefined) deployOrFail(installation, running.pausedVersion)
  }
  console.log(`secret    PAUSED of ${name} is ${state.isPaused ? 'removed' : 'not set'}`)
}

/** The newest version is without a pause afterwards; nothing is deployed. Returns the newest one. */
export function clearNewest(installation: Installation, { newest }: Pick<Running, 'newest'>): string {
  const state = readPauseState(readVersion(installation, newest.id).secrets)
  return listPauseSecrets(state)
    .map(secret => changeNewest(installation, ['delete', secret], `Deleted secret ${secret}`))
    .reduce((_, id) => id, newest.id)
}

/** Makes a version that nobody meets yet. */
function changeNewest({ run, config }: Installation, change: string[], message: string, input?: string): string {
  const args = ['versions', 'secret', ...change, '--message', message, '--config', config]
  const printed = must(run, args, input === undefined ? {} : { input })
  const [, id] = /version ([0-9a-f-]{36})/.exec(printed) ?? []
  if (id === undefined) throw new SetupError(`wrangler told no version:\n${printed}`)
  return id
}

function deployOrFail(installation: Installation, id: string): void {
  const changed = deployVersion(installation, id, 'a pause after a rollback')
  if (changed.length > 0)
    throw new SetupError(
      `the version ${id} has other values of ${changed.join(', ')}: run setup from the code that is to run`,
    )
}

type QueueVerb = 'pause-delivery' | 'resume-delivery'

/** A wrangler takes some 150 MB. The commands before have renewed the token of a login, which no two may do at once. */
const QUEUES_AT_ONCE = 5

/** One that fails keeps no other one from it. */
export async function forEachQueue(installation: Installation, verb: QueueVerb): Promise<void> {
  const { config, name } = installation
  const queues = listQueues(readFileSync(config, 'utf8'))
  const failures = new Map<string, string>()
  const waiting = [...queues]
  const takeOver = async () => {
    for (let queue = waiting.shift(); queue !== undefined; queue = waiting.shift()) {
      const failure = await changeQueue(installation, verb, queue)
      if (failure !== undefined) failures.set(queue, failure)
    }
  }
  await Promise.all(Array.from({ length: QUEUES_AT_ONCE }, takeOver))
  const failed = queues.flatMap(queue => {
    const output = failures.get(queue)
    return output === undefined ? [] : [{ queue, output }]
  })
  const [first] = failed
  if (first === undefined) return
  const next =
    verb === 'pause-delivery'
      ? 'run the same command again, and it goes on from here.'
      : `run this, and not the command of before:\n  npm run admin -- resume --installation ${name}`
  throw new SetupError(
    `${describeFailure(['queues', verb, first.queue], first.output)}\n\nThe same holds for ${failed.map(({ queue }) => queue).join(', ')}. The rest is done: ${next}`,
  )
}

/** Returns what wrangler says, if it fails. */
async function changeQueue({ start, name }: Installation, verb: QueueVerb, queue: string): Promise<string | undefined> {
  const { isDone, output } = await start(['queues', verb, queue])
  if (isDone) console.log(`queue     ${queue}: ${verb}`)
  if (isDone || !output.includes('does not exist')) return isDone ? undefined : output.trim()
  // It has no messages to hold back, and must not stand in the way of a pause.
  console.log(`queue     ${queue} is not there: \`npm run setup -- --name ${name}\` makes it`)
  return undefined
}
