import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { select } from '../../src/db/statement.ts'
import { SLICE_MS_MIN } from '../../src/message/bulk/slice-time.ts'
import { SECOND_MS } from '../../src/time-units.ts'
import { must, SetupError } from './command.ts'
import { confirm } from './confirm.ts'
import { checkFeatures } from './features.ts'
import { heedInterruption, unlessInterrupted } from './interruption.ts'
import { splitStatements, unsafeStatements } from './migrations.ts'
import { getResourceName } from './names.ts'
import { checkAddress, type Installation, UsageError } from './options.ts'
import { clearNewest, forEachQueue, withNext } from './pause.ts'
import { decide, isOfPause, readPauseState } from './pause-rules.ts'
import { readRecord } from './record.ts'
import { readRows } from './rows.ts'
import {
  deployVersion,
  findCurrent,
  LOCAL_CHANGES,
  listDeployments,
  listVersions,
  readParts,
  readVersion,
  type Version,
} from './versions.ts'

interface RollbackOptions {
  to?: string | undefined
  /** Where the installation answers, if it has no domain. */
  url?: string | undefined
  isAgreed: boolean
}

/** Within it, what was handed to a sender has been sent. */
const LAST_BATCH_MS = 15_000
/** A slice that was delivered goes on to its end, and a deployment resets the objects that send for it. The checks of this command don't wait. */
const SETTLE_SECONDS = Number(process.env.ROLLBACK_SETTLE_SECONDS ?? (SLICE_MS_MIN + LAST_BATCH_MS) / SECOND_MS)
const MIGRATIONS = 'drizzle'

/**
 * Takes the code back to a version that ran before. It says first whether that can be done. The database stays as it is.
 */
export async function rollback(installation: Installation, options: RollbackOptions): Promise<void> {
  const { run, name } = installation
  const url = readAddress(installation, options.url)
  const versions = listVersions(installation)
  const deployments = listDeployments(installation)
  const [parts = []] = deployments
  const current = findCurrent(versions, parts)
  const state = readPauseState(readVersion(installation, current.id).secrets)
  if (decide(state, { verb: 'rollback' }) === 'unfinished')
    throw new SetupError(
      `${name} is closed by a restore that has not ended, and the version before would open it. Nothing was changed. Run that restore again, to its end, first`,
    )
  const deployed = deployments.map(each => each.map(({ id }) => id))
  const history = { versions, deployed, current }
  const isDone = options.to === undefined ? isAfterRollback(history) : options.to === current.id
  // One that was killed behind its deployment has left queues that do not deliver.
  if (isDone && !state.isPaused) await forEachQueue(installation, 'resume-delivery')
  const target = options.to === undefined ? versionBefore(installation, history) : findVersion(versions, options.to)
  if (target.id === current.id) throw new UsageError(`${target.id} is the version that runs`)
  console.log(`now       ${describe(current)}${state.isPaused ? ', paused' : ''}\nback to   ${describe(target)}`)
  if (hasSameCode(versions, current, target))
    console.log(
      'code      the same commit: what is deployed again are the settings of then. Other code by --to, or by setup',
    )
  const isInSteps = parts.length > 1
  if (isInSteps)
    console.log(
      `parts     an update in steps has not ended: ${parts.map(({ id, share }) => `${id} has ${share} %`).join(', ')}`,
    )
  if (isPausedVersion(installation, target))
    throw new SetupError(
      `that version is paused, and no command ends the pause of a version that is not the newest: nothing was changed. Choose another one by --to, or deploy its code with the secrets of now:\n\n${deployAgain(name, target).join('\n')}`,
    )
  refuseOtherClasses(installation, { current, target })
  const [newest = current] = versions
  refuseOtherSecrets(installation, { newest, target })
  checkMigrations(installation, target)
  const what = `The code of ${name} goes back; the database stays as it is.${state.isPaused ? ' The pause ends.' : ''}`
  await confirm(installation, what, options.isAgreed)

  const sends = getResourceName(name, 'sends')
  const changed = await heedInterruption(async interruption => {
    try {
      console.log(
        `pausing   ${sends}. If this breaks off without a word, it delivers again by:\n          npm run admin -- resume --installation ${name}`,
      )
      must(run, ['queues', 'pause-delivery', sends])
      console.log(`waiting   ${SETTLE_SECONDS} s until what is being sent is sent`)
      await unlessInterrupted(interruption, () => setTimeout(SETTLE_SECONDS * SECOND_MS))
    } catch (error) {
      if (!state.isPaused) resumeSends(installation, sends, 'What ran goes on')
      throw error
    }
    try {
      return deployVersion(installation, target.id, `back from ${current.id}`)
    } catch (error) {
      if (!state.isPaused) resumeSends(installation, sends, findWhatRuns(installation, { current, target }))
      throw error
    }
  })
  if (changed.length > 0) {
    if (!state.isPaused) resumeSends(installation, sends, 'What ran goes on')
    throw new SetupError(describeChangedSecrets(name, target, changed))
  }
  // What is deployed next has the secrets of the newest version, which may be paused.
  const withoutPause = withNext(
    `${name} runs ${target.id}, and its queues may not deliver yet. They do by:\n  npm run admin -- resume --installation ${name}`,
    () => clearNewest(installation, { newest }),
  )
  await forEachQueue(installation, 'resume-delivery')
  // A version that was paused would be paused again.
  const undo = isInSteps
    ? `npm run setup -- --name ${name} --gradual`
    : `npm run admin -- rollback --installation ${name} --to ${state.isPaused ? withoutPause : current.id}`
  console.log(`deployed  ${target.id}. It is taken back by:\n          ${undo}`)
  if (!(await isHealthy(url)))
    throw new SetupError(`${name} does not answer as it should. To the version that ran before:\n  ${undo}`)
}

/** A deployment that failed or was interrupted may have been done all the same: Cloudflare is asked, once. */
function findWhatRuns(installation: Installation, { current, target }: VersionPair): string {
  const ask = `npx wrangler deployments status --config ${installation.config}`
  try {
    const parts = readParts(installation)
    if (parts.some(({ id }) => id === target.id))
      return `${target.id} was deployed all the same, and runs. To the version that ran before:  npm run admin -- rollback --installation ${installation.name} --to ${current.id}`
    if (parts.some(({ id }) => id === current.id)) return 'What ran goes on'
  } catch {}
  return `Whether ${target.id} or ${current.id} runs is not known. It is told by:  ${ask}`
}

/** What fails here is said, and hides nothing else. */
function resumeSends({ run, name }: Installation, sends: string, runs: string): void {
  const { isDone } = run(['queues', 'resume-delivery', sends])
  console.log(
    isDone
      ? `queue     ${sends}: resume-delivery. ${runs}`
      : `queue     ${sends} does not deliver yet. It does by:  npm run admin -- resume --installation ${name}. ${runs}`,
  )
}

const describe = ({ id, createdAt, commit }: Version): string =>
  `${id} of ${new Date(createdAt).toISOString()}${commit === undefined ? '' : `, commit ${commit}`}`

function findVersion(versions: readonly Version[], id: string): Version {
  const found = versions.find(each => each.id === id)
  if (found) return found
  throw new UsageError(`there is no version ${id} that can be deployed. The newest are:\n${list(versions)}`)
}

/** So many are shown where one is mistyped. A change of a secret makes a version, too, of the same code. */
const VERSIONS_SHOWN = 10
const list = (versions: readonly Version[]): string =>
  versions
    .filter(isUpload)
    .slice(0, VERSIONS_SHOWN)
    .map(each => `  ${describe(each)}`)
    .join('\n')

interface History {
  versions: readonly Version[]
  deployed: readonly string[][]
  current: Version
}

const isUpload = (each: Version): boolean => !each.changesSecret

/** The versions that had all requests, from the newest deployment on. */
const listRan = ({ versions, deployed }: History): Version[] =>
  deployed.flatMap(ids => (ids.length === 1 ? (versions.find(({ id }) => id === ids[0]) ?? []) : []))

function isAfterRollback(history: History): boolean {
  const { versions, current } = history
  const later = versions.find(each => each.number > current.number && isUpload(each))
  return later !== undefined && listRan(history).some(({ number }) => number >= later.number)
}

/**
 * What ran last before the code that runs, and was not paused: a change of a secret is a version, too, and has the same code.
 */
function versionBefore(installation: Installation, history: History): Version {
  const { versions, current } = history
  const upload = versions.find(each => each.number <= current.number && isUpload(each))
  if (isAfterRollback(history))
    throw new UsageError(
      `${current.id} runs after a rollback already. To go back further, name a version by --to; to take it back, run setup from the code that is to run. The newest are:\n${list(versions)}`,
    )
  const isBefore = ({ number }: Version) => upload !== undefined && number < upload.number
  // Cloudflare lists ten deployments, which may all be changes of secrets, and a hundred versions.
  const earlier = [...new Set([...listRan(history), ...versions.filter(({ isGradual }) => !isGradual)])].filter(
    isBefore,
  )
  const isOpen = (version: Version) => !isPausedVersion(installation, version)
  const others = earlier.filter(version => !hasSameCode(versions, version, current))
  const before = others.find(isOpen) ?? earlier.find(isOpen)
  const passed = before && earlier.find(version => isUpload(version) && version.number > before.number)
  if (passed && hasSameCode(versions, passed, current))
    console.log(`passed by ${describe(passed)}: the same code with other settings. To it by --to`)
  if (!before)
    throw new UsageError('no version that is not paused ran before this one: deploy the code that is to run by setup')
  return before
}

/** By the commit of the upload that a version is of. Without one, or with changes that were not committed, nobody knows. */
function hasSameCode(versions: readonly Version[], one: Version, other: Version): boolean {
  const [commit, others] = [one, other].map(
    ({ number }) => versions.find(each => each.number <= number && isUpload(each))?.commit,
  )
  return commit !== undefined && commit === others && !commit.endsWith(LOCAL_CHANGES)
}

/** Of a version, as of what runs, the names of the secrets tell it. */
const isPausedVersion = (installation: Installation, { id }: Version): boolean =>
  readPauseState(readVersion(installation, id).secrets).isPaused

interface VersionPair {
  current: Version
  target: Version
}

function refuseOtherClasses(installation: Installation, { current, target }: VersionPair): void {
  const [now, then] = [readVersion(installation, current.id), readVersion(installation, target.id)]
  const added = now.classes.filter(each => !then.classes.includes(each))
  const lost = then.classes.filter(each => !now.classes.includes(each))
  if (added.length === 0 && lost.length === 0 && now.tag === then.tag) {
    console.log('classes   of objects: the same')
    return
  }
  if (lost.length > 0)
    throw new SetupError(
      `it cannot be done: that version needs the class ${lost.join(', ')}, which was deleted with all its objects. Correct the code that runs, and deploy it`,
    )
  const config = readFileSync(installation.config, 'utf8')
  const tags = [...config.matchAll(/\[\[migrations\]\]\n(?:.+\n)+/g)]
    .map(([table]) => table)
    .filter(table => added.some(name => table.includes(`"${name}"`)))
  throw new SetupError(
    `it cannot be done by Cloudflare: the class ${added.join(', ')} of objects came after that version, and no version from before it is taken back. Nothing was changed. Deploy the code of that version with the class added, empty:

${deployAgain(installation.name, target, [
  '# at the end of src/index.ts:',
  "import { DurableObject } from 'cloudflare:workers'",
  ...added.map(each => `export class ${each} extends DurableObject {}`),
  '# at the end of wrangler.toml:',
  ...tags,
]).join('\n')}`,
  )
}

/** A secret that came or went since is seen by its name. Of one with another value, Cloudflare tells when it is to deploy. */
function refuseOtherSecrets(
  installation: Installation,
  { newest, target }: { newest: Version; target: Version },
): void {
  const [now, then] = [newest, target].map(({ id }) => readVersion(installation, id).secrets) as [string[], string[]]
  const changed = [...now.filter(each => !then.includes(each)), ...then.filter(each => !now.includes(each))]
  const others = changed.filter(each => !isOfPause(each))
  if (others.length > 0) throw new SetupError(describeChangedSecrets(installation.name, target, others))
}

const describeChangedSecrets = (name: string, target: Version, changed: readonly string[]): string =>
  `${changed.join(', ')} changed after that version, which would bring the old values back: so it was not deployed. Deploy its code with the secrets of now:\n\n${deployAgain(name, target).join('\n')}`

/** How the code of a version is deployed once more, by its commit. */
const deployAgain = (name: string, { commit }: Version, edits: readonly string[] = []): string[] => [
  '# where it is there from before: git worktree remove --force ../caseworker-back',
  `git worktree add ../caseworker-back ${commit?.replace(LOCAL_CHANGES, '') ?? '<the commit that was deployed then>'}`,
  'cp -r installations ../caseworker-back && cd ../caseworker-back && npm ci',
  ...(commit?.endsWith(LOCAL_CHANGES) ? ['# it had changes that were not committed: make them here, too'] : []),
  ...edits,
  `npm run setup -- --name ${name}`,
]

const APPLIED = select(
  { name: sql<string>`name`, appliedAt: sql<string>`applied_at` },
  sql`FROM ${sql.identifier('d1_migrations')} ORDER BY id`,
)

/** The code that is deployed again meets the schema of now. */
function checkMigrations(installation: Installation, target: Version): void {
  let applied: { name: string; appliedAt: string }[]
  try {
    const [rows = []] = readRows(installation, [APPLIED])
    applied = rows as typeof applied
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    console.log('schema    the database does not answer: whether migrations were applied since is not known')
    return
  }
  const since = applied.filter(({ appliedAt }) => Date.parse(`${appliedAt.replace(' ', 'T')}Z`) > target.createdAt)
  for (const { name } of since) {
    const file = path.join(MIGRATIONS, name)
    if (!existsSync(file))
      throw new SetupError(
        `the migration ${name} was applied after that version, and is not in ${MIGRATIONS}: run this command from the code that is deployed`,
      )
    const [unsafe] = unsafeStatements(splitStatements(readFileSync(file, 'utf8')))
    if (unsafe !== undefined)
      throw new SetupError(
        `it cannot be done: the migration ${name} was applied after that version, which cannot live with\n  ${unsafe}\nNothing was changed. Correct the code that runs, and deploy it`,
      )
  }
  const names = since.map(({ name }) => name).join(', ')
  console.log(
    `schema    ${since.length === 0 ? 'the same' : `${names} came since, and only add: the version works with them`}`,
  )
}

/** Where the installation answers, as far as it is known; it is looked at before anything is changed. */
function readAddress({ name }: Installation, given: string | undefined): string | undefined {
  checkAddress(given)
  const { domain } = given === undefined ? readRecord(name) : {}
  return (given ?? (domain === undefined ? undefined : `https://${domain}`))?.replace(/\/+$/, '')
}

/** Health, which asks no database; with a token of an admin everything that smoke walks through. */
async function isHealthy(url: string | undefined): Promise<boolean> {
  if (url === undefined) {
    console.log(
      'checked   nothing: the installation has no domain, and --url is not given\n          npm run smoke -- <address>',
    )
    return true
  }
  const { status } = await fetch(`${url}/v1/health`).catch(() => ({ status: 0 }))
  console.log(`checked   ${url}/v1/health: ${status === 0 ? 'no answer' : status}`)
  if (status !== 200) return false
  return checkFeatures(url)
}
