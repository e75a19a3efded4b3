import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { selectNewestTombstone, TOMBSTONE_MS } from '../../src/customer-record/tombstone-retention.ts'
import { KEY_BYTES } from '../../src/plugin/secret/key-id.ts'
import { MINUTE_MS, SECOND_MS } from '../../src/time-units.ts'
import { must, SetupError } from './command.ts'
import { type Installation, UsageError } from './options.ts'
import {
  getPreviousKeyFile,
  getRotationFile,
  getSecretsFile,
  readJsonFile,
  writeNewSecretFile,
  writeSecretFile,
} from './record.ts'
import { readRows } from './rows.ts'
import { getId, readKeyCounts } from './secrets.ts'
import { isRolledBack, type Running, readParts, readRunning } from './versions.ts'

// A change of SECRETS_KEY, in an order in which whatever runs can read what any other has written: first every isolate gets the
// new key for reading, then all write under it, then the cron encrypts again what is under the old one, then that one goes.

interface Rotation {
  previous: string
  present: string
  /** When the new key began to be used for writing. */
  since?: number
}

const PREVIOUS = 'SECRETS_KEY_PREVIOUS'

/** Within it, every isolate has heard of a secret. The checks of this command don't wait. */
const SETTLE_SECONDS = Number(process.env.ROTATION_SETTLE_SECONDS ?? 60)
/** What began with the old key for writing has ended by then: an invocation lives for a quarter of an hour at most. */
const REMOVE_AFTER_MS = 15 * SETTLE_SECONDS * SECOND_MS
/** The cron runs each minute: after so long without an end, something is wrong. */
const WAIT_MS_MAX = 15 * SETTLE_SECONDS * SECOND_MS
const ASK_SECONDS = Math.min(10, SETTLE_SECONDS)

/** Can be repeated: a command that broke off goes on with the key that it has made. `given` is of the file of the caller. */
export async function rotateKey(installation: Installation, given: Record<string, string>): Promise<void> {
  const { secrets } = readUnlessRolledBack(installation)
  const { run, config, name } = installation
  const rotation = readRotation(name) ?? (await begin(installation, secrets, given))
  const { previous, present } = rotation
  if (rotation.since === undefined) {
    // Both at once: where the file of this change was lost, the Worker may write under the new key already.
    const readable = { SECRETS_KEY: previous, SECRETS_KEY_PREVIOUS: present }
    must(run, ['secret', 'bulk', '--config', config], { input: JSON.stringify(readable) })
    console.log(`secret    ${await describeKey(present)} can be read from now on; nothing is written under it yet`)
    await settle()
    keep(name, { ...rotation, since: Date.now() })
  }
  const keys = { SECRETS_KEY: present, SECRETS_KEY_PREVIOUS: previous }
  must(run, ['secret', 'bulk', '--config', config], { input: JSON.stringify(keys) })
  console.log(
    `secret    ${await describeKey(present)} is SECRETS_KEY, and ${await describeKey(previous)} the one before`,
  )
  await waitForCron(installation, await getId(previous))
  console.log(`The old key goes, a quarter of an hour from now or later, by:
          npm run admin -- remove-previous-key --installation ${name}`)
}

/** Removes the previous key, and refuses to while any secret is encrypted with it. */
export async function removePreviousKey(installation: Installation): Promise<void> {
  const { secrets } = readUnlessRolledBack(installation)
  const { run, config, name } = installation
  const { previous, present, since } = readRotation(name) ?? {}
  if (previous === undefined || present === undefined || since === undefined)
    throw new SetupError(
      `SECRETS_KEY of ${name} is not being changed${previous === undefined ? `: there is no ${getRotationFile(name)}` : ' yet'}. Run this first:  npm run admin -- rotate-key --installation ${name}`,
    )
  const left = countUnder(installation, await getId(previous))
  if (left > 0)
    throw new SetupError(
      `${left} secrets of plugins and webhooks are still encrypted under ${await describeKey(previous)}, so it stays. The cron encrypts them again each minute; lines of the log with "notEncryptedAgain" name what cannot be read. Then run the same command again`,
    )
  const [tombstones = []] = readRows(installation, [selectNewestTombstone(since)]) as { at: number | null }[][]
  const erasedAt = tombstones[0]?.at ?? null
  // Their hashes are under the old key alone, and nobody has the numbers any more.
  const from = Math.max(since + REMOVE_AFTER_MS, erasedAt === null ? 0 : erasedAt + TOMBSTONE_MS)
  if (from > Date.now())
    throw new SetupError(
      `${await describeKey(previous)} is needed until ${new Date(from).toISOString()}${erasedAt === null ? ', as what has begun may write under it' : ': by it the numbers of customers are known who were erased before the change'}. Run the same command again then`,
    )
  // An earlier run may have removed it, and not have heard so.
  if (secrets.includes(PREVIOUS)) must(run, ['secret', 'delete', PREVIOUS, '--config', config])
  const old = getPreviousKeyFile(name, await getId(previous))
  // The file that knows both keys goes last: until then the same command can be run again.
  writeSecretFile(old, { SECRETS_KEY: previous })
  writeSecretFile(getSecretsFile(name), { SECRETS_KEY: present })
  rmSync(getRotationFile(name))
  console.log(`secret    ${await describeKey(previous)} is removed
The key of now is in ${getSecretsFile(name)}, the old one in ${old}. Move both to a safe place: the old one reads exports and backups of before.`)
}

async function begin(
  installation: Installation,
  secrets: readonly string[],
  given: Record<string, string>,
): Promise<Rotation> {
  const { name } = installation
  // Another new key would take the place of the one that is being written under, which nobody would have any more.
  if (secrets.includes(PREVIOUS) && (given.SECRETS_KEY === undefined || given.SECRETS_KEY_PREVIOUS === undefined))
    throw new UsageError(
      `a change of the key was begun elsewhere and has not ended: ${name} has a key before the present one, and there is no ${getRotationFile(name)} here. Nothing was changed. Run the command where that file is, to the end of remove-previous-key. If it is lost, put both keys of that change into an --env-file: the new one as SECRETS_KEY, the one before as SECRETS_KEY_PREVIOUS`,
    )
  const previous = given.SECRETS_KEY_PREVIOUS ?? readOwnKey(name)
  if (previous === undefined)
    throw new UsageError(
      `the present key is missing: put it as SECRETS_KEY_PREVIOUS into an --env-file. ${getSecretsFile(name)} is not there any more, and nobody can read it from Cloudflare`,
    )
  const present = given.SECRETS_KEY ?? randomBytes(KEY_BYTES).toString('base64')
  const ids = [await getId(previous), await getId(present)]
  if (ids[0] === ids[1]) throw new UsageError('SECRETS_KEY and SECRETS_KEY_PREVIOUS are the same key')
  // A change whose file was lost has encrypted some again, and some not yet.
  const known = secrets.includes(PREVIOUS) ? ids : ids.slice(0, 1)
  const foreign = readKeyCounts(installation).filter(({ id }) => !known.includes(id))
  if (foreign.length > 0)
    throw new SetupError(
      `${known.length > 1 ? `the keys that were given are ${known.join(' and ')}` : `the key that was given is ${ids[0]}`}, and secrets are encrypted under others: ${foreign.map(({ id, count }) => `${count} under ${id}`).join(', ')}. Nothing was changed. If it is not the present key, give that one. If it is, what is under others cannot be read by it: the deep health names it, and its teams store it anew or remove it`,
    )
  const rotation = { previous, present }
  // Another command may have made a key meanwhile, and set it: to forget that one would lose what is written under it.
  if (!writeNewSecretFile(getRotationFile(name), rotation))
    throw new SetupError(
      `another rotate-key has begun meanwhile, and its key is in ${getRotationFile(name)}. Nothing was changed by this one. Wait for the end of that one, or run the same command again: it goes on with that key`,
    )
  console.log(`key       ${await describeKey(present)} is in ${getRotationFile(name)}, with the one before`)
  return rotation
}

function readUnlessRolledBack(installation: Installation): Running {
  if (readParts(installation).length > 1)
    throw new SetupError(
      `an update of ${installation.name} in steps has not ended, and Cloudflare changes no secret meanwhile: run setup from the code that is to run, then the same command again`,
    )
  const running = readRunning(installation)
  if (!isRolledBack(running)) return running
  throw new SetupError(
    `${installation.name} does not run its newest version, and Cloudflare changes no secret of another: run setup from the code that is to run, then the same command again`,
  )
}

async function waitForCron(installation: Installation, previousId: string): Promise<void> {
  console.log('waiting   for the cron, which encrypts again what is under the key before')
  let said = -1
  for (const until = Date.now() + WAIT_MS_MAX; ; await setTimeout(ASK_SECONDS * SECOND_MS)) {
    const left = countUnder(installation, previousId)
    if (left !== said) console.log(`encrypted again: ${left} secrets are left`)
    if (left === 0) return
    said = left
    if (Date.now() >= until)
      throw new SetupError(
        `${left} secrets are still under the key before after ${WAIT_MS_MAX / MINUTE_MS} minutes. Both keys are set, so everything can be read. A paused installation waits for its resume; else lines of the log with "task":"encrypt secrets again" or "notEncryptedAgain" say why. Then run the same command again`,
      )
  }
}

async function settle(): Promise<void> {
  console.log(`waiting   ${SETTLE_SECONDS} s until everything that runs knows it`)
  await setTimeout(SETTLE_SECONDS * SECOND_MS)
}

const countUnder = (installation: Installation, keyId: string): number =>
  readKeyCounts(installation).find(({ id }) => id === keyId)?.count ?? 0

const describeKey = async (key: string): Promise<string> => `the key ${await getId(key)}`

const keep = (name: string, rotation: Rotation): void => writeSecretFile(getRotationFile(name), rotation)

const readRotation = (name: string) => readJsonFile<Rotation>(getRotationFile(name))
const readOwnKey = (name: string) => readJsonFile<{ SECRETS_KEY?: string }>(getSecretsFile(name))?.SECRETS_KEY
