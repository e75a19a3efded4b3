import { readFileSync } from 'node:fs'
import { describeFailure, must, SetupError } from './command.ts'
import { listQueues } from './config.ts'
import type { Installation } from './options.ts'
import { readRollback } from './record.ts'
import { forgetWithdrawn } from './revocations.ts'
import { deployVersion } from './versions.ts'

/** What the Worker reads of the secret: `src/http/pause.ts`. */
type Pause = 'true' | 'closed' | 'restored' | 'false'

/**
 * Pauses an installation. It takes no deployment, which could be of other code than runs, and no database, which may be
 * what does not answer: a secret is a new version of the code that runs. The queues stop to deliver, so that waiting takes
 * none of the attempts that their messages have.
 */
export function pause(installation: Installation): void {
  setPause(installation, 'true')
  forEachQueue(installation, 'pause-delivery')
  console.log(
    `${installation.name} is paused: reads go on, everything else is refused with 503 or waits. Requests and jobs that had begun end within a minute.\nIt goes on by:  npm run admin -- resume --installation ${installation.name}`,
  )
}

/** The queues follow when the Worker takes what they deliver. */
export function resume(installation: Installation): void {
  setPause(installation, 'false')
  // From now on more may be taken away: what a restore has read before is older.
  forgetWithdrawn(installation.name)
  forEachQueue(installation, 'resume-delivery')
  console.log(`${installation.name} goes on`)
}

export function setPause(installation: Installation, value: Pause): void {
  const { run, config, name } = installation
  const rollback = readRollback(name)
  if (rollback === undefined) must(run, ['secret', 'put', 'PAUSED', '--config', config], { input: value })
  else if (value === 'false') {
    // What is deployed next has the secrets of the newest one.
    putInNewest(installation, value)
    deployOrFail(installation, rollback.to)
  } else deployOrFail(installation, putInNewest(installation, value))
  console.log(`secret    PAUSED of ${name} is "${value}"`)
}

/**
 * After a rollback Cloudflare changes no secret of the version that runs, as it is not the newest one. So the newest one is
 * paused, which changes nothing then, whatever is wrong with it; the end of the pause goes back once more.
 */
export function putInNewest({ run, config }: Installation, value: Pause): string {
  const printed = must(run, ['versions', 'secret', 'put', 'PAUSED', '--config', config], { input: value })
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

/** One that fails keeps no other one from it. */
export function forEachQueue({ run, config, name }: Installation, verb: 'pause-delivery' | 'resume-delivery'): void {
  const failed = listQueues(readFileSync(config, 'utf8')).flatMap(queue => {
    const { isDone, output } = run(['queues', verb, queue])
    if (isDone) console.log(`queue     ${queue}: ${verb}`)
    if (isDone || !output.includes('does not exist')) return isDone ? [] : [{ queue, output: output.trim() }]
    // It has no messages to hold back, and must not stand in the way of a pause.
    console.log(`queue     ${queue} is not there: \`npm run setup -- --name ${name}\` makes it`)
    return []
  })
  const [first] = failed
  if (first === undefined) return
  const next =
    verb === 'pause-delivery'
      ? 'run the same command again, and it goes on from here.'
      : `run this, and not the command of before:\n  npm run admin -- resume --installation ${name}`
  throw new SetupError(
    `${describeFailure(['queues', verb, first.queue], first.output)}\n\nSo it is with ${failed.map(({ queue }) => queue).join(', ')}. The rest is done: ${next}`,
  )
}
