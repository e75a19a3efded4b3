import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { readArguments, refuseArguments } from './arguments.ts'
import { freshPages } from './fresh-pages.ts'
import { must, printer, type Run, runner, SetupError } from './installation/command.ts'
import {
  hasNoDatabase,
  installationConfig,
  listBuckets,
  listQueues,
  NO_DATABASE,
  readVars,
} from './installation/config.ts'
import { checkDomain } from './installation/domain.ts'
import {
  checkGradual,
  deployGradually,
  endParts,
  GradualError,
  printGradual,
  refuseOtherDomain,
} from './installation/gradual.ts'
import { getDatabaseName, getResourceName } from './installation/names.ts'
import { type Installation, OPTIONS, type Options, readOptions, USAGE, UsageError } from './installation/options.ts'
import { readPauseState } from './installation/pause-rules.ts'
import {
  FOLDER,
  getBookmarksFile,
  getConfigFile,
  getGivenSecretsFile,
  getRecordFile,
  getRotationFile,
  getSecretsFile,
  writeSecretFile,
} from './installation/record.ts'
import {
  createDatabase,
  ensureBucket,
  ensureQueue,
  findDatabase,
  listSecrets,
  takeBookmark,
} from './installation/resources.ts'
import { findUnreadable, type SecretsToSet, secretsToSet } from './installation/secrets.ts'
import { checkSettings } from './installation/settings.ts'
import { LOCAL_CHANGES, type Running, readRunning, readVersion } from './installation/versions.ts'
import { writeWhole } from './local/whole-file.ts'

// npm run setup -- --name <installation>: makes what an installation needs and is not there yet, migrates and deploys.
// It is the way to update, too.

async function setUp(options: Options, template: string): Promise<void> {
  const { name, isDryRun, record } = options
  const run: Run = isDryRun ? printer : runner(options.credentials)
  const say = (line: string) => (isDryRun ? undefined : console.log(line))
  const save = (file: string, text: string) => {
    if (!isDryRun) writeWhole(file, text)
  }
  const config = getConfigFile(name)
  const { settings = {}, ...chosen } = record
  const configWith = (databaseId: string) => installationConfig(template, { ...chosen, name, databaseId, settings })
  // Faults are found before anything is created.
  if (record.domain !== undefined) await checkDomain(name, record.domain, options.replacesDns)
  await checkSettings({ ...readVars(configWith(NO_DATABASE)), ...options.secrets })
  // A pull brings the pages' source, not the pages.
  if (!isDryRun && freshPages() === 'failed') process.exit(1)

  const database = getDatabaseName(name)
  const foundId = findDatabase(run, database)
  const before = await findVersionBefore(run, options, foundId && configWith(foundId))
  if (foundId === undefined && !isDryRun && existsSync(config) && !hasNoDatabase(readFileSync(config, 'utf8')))
    throw new SetupError(
      `the database ${database} of ${config} is not in this account: no other one is made in its place. If it is gone for good, remove ${config} first`,
    )
  // They say where the database is, and in which account: also of a run that breaks off behind the first that is made.
  if (!isDryRun) {
    mkdirSync(FOLDER, { recursive: true })
    // A run that was killed while it deployed has left it.
    rmSync(getGivenSecretsFile(name), { force: true })
  }
  save(getRecordFile(name), `${JSON.stringify(record, null, 2)}\n`)
  save(config, configWith(foundId ?? NO_DATABASE))
  if (foundId === undefined) createDatabase(run, database, record.location)
  const databaseId = isDryRun ? NO_DATABASE : (foundId ?? findDatabase(run, database))
  if (databaseId === undefined) throw new SetupError(`the database ${database} was made, but is not listed`)
  say(`database  ${database} ${databaseId}${foundId === undefined ? `, made in ${record.location}` : ''}`)
  for (const each of listQueues(template)) {
    const queue = getResourceName(name, each)
    say(`queue     ${queue}${ensureQueue(run, queue) ? ', made' : ''}`)
  }
  for (const each of listBuckets(template)) {
    const bucket = getResourceName(name, each)
    say(`bucket    ${bucket}${ensureBucket(run, bucket, record.location) ? ', made' : ''}`)
  }

  save(config, configWith(databaseId))
  say(`config    ${config}`)
  const plan = options.gradual === undefined ? planSecrets(run, options, config) : undefined

  if (foundId !== undefined || isDryRun) keepBookmark(run, options, config)
  must(run, ['d1', 'migrations', 'apply', 'DB', '--remote', '--config', config])
  say('migrated')
  if (plan !== undefined) await deploy(run, options, config, plan)
  else if (options.gradual === undefined || before === undefined) printGradual(run, config, readCommit())
  else {
    deliverSends({ name, config, run })
    await deployGradually({ name, config, run }, { ...options.gradual, before, commit: readCommit() })
    sayWhereKeyIs(name)
  }
}

interface SecretsPlan extends SecretsToSet {
  there: readonly string[]
}

/** A key that cannot be set is refused before anything is migrated. */
function planSecrets(run: Run, { name, secrets }: Options, config: string): SecretsPlan {
  const there = listSecrets(run, config)
  return { there, ...secretsToSet(name, there, secrets) }
}

/** Of an update in steps, the version that runs until then; what cannot be updated so is refused. */
async function findVersionBefore(run: Run, options: Options, config: string | undefined): Promise<Running | undefined> {
  const { name, gradual, isDryRun, record, secrets } = options
  if (gradual === undefined || isDryRun) return undefined
  if (config === undefined)
    throw new GradualError(
      `${name} is not there yet, so there is no version to go back to: set it up without --gradual`,
    )
  const installation = { name, run, config: getConfigFile(name) }
  refuseOtherDomain(name, record.domain)
  mkdirSync(FOLDER, { recursive: true })
  writeWhole(installation.config, config)
  const before = await checkGradual(installation, { ...gradual, secrets })
  refuseHalfPause(installation)
  return before
}

/** A migration cannot be taken back by the code: this is where the database can be. */
function keepBookmark(run: Run, { name, isDryRun }: Options, config: string): void {
  const bookmark = takeBookmark(run, config)
  if (isDryRun) return
  appendFileSync(getBookmarksFile(name), `${new Date().toISOString()} ${bookmark}\n`)
  console.log(`bookmark  ${bookmark}, kept in ${getBookmarksFile(name)}`)
}

async function deploy(run: Run, options: Options, config: string, plan: SecretsPlan): Promise<void> {
  const { name, isDryRun } = options
  const { there, values, isNew } = plan
  if (!isDryRun && there.length > 0) {
    endParts({ name, config, run })
    refuseHalfPause({ name, config, run })
  }
  if (!isDryRun && values.SECRETS_KEY !== undefined) await lookForUnreadable({ name, config, run }, plan)
  const { isPaused, restores } = readPauseState(there)
  const isOpen = !isDryRun && there.length > 0 && !isPaused
  // A key that was made here is kept. What the caller has given is in a file only while it is being deployed.
  const madeFile = getSecretsFile(name)
  const { SECRETS_KEY, ...others } = values
  const hasGiven = Object.keys(isNew ? others : values).length > 0
  const file = hasGiven ? getGivenSecretsFile(name) : madeFile
  if (!isDryRun && isNew) writeSecretFile(madeFile, { SECRETS_KEY })
  if (!isDryRun && hasGiven) writeSecretFile(file, values)
  const commit = readCommit()
  let printed: string
  try {
    printed = must(run, [
      ...['deploy', '--config', config, ...(isNew || hasGiven ? ['--secrets-file', file] : [])],
      ...(commit === undefined ? [] : ['--tag', commit]),
    ])
  } finally {
    if (hasGiven) rmSync(file, { force: true })
  }
  if (isDryRun) return
  if (isOpen) deliverSends({ name, config, run })
  const [address] = /https:\/\/\S+\.workers\.dev/.exec(printed) ?? []
  const { domain } = options.record
  console.log(`deployed  ${domain === undefined ? (address ?? '') : `https://${domain}`}`)
  if (restores.length > 0)
    console.log(`closed    by a restore of ${name} that has not ended: it goes on by the same command as it was begun`)
  else if (isPaused) console.log(`paused    as before. It ends by:  npm run admin -- resume --installation ${name}`)
  sayWhereKeyIs(name)
  console.log(`\nA team, and its first token:  npm run team -- create "Your team" --installation ${name}`)
}

/** As long as it is there: a run that was killed has said nothing. While the key is being changed, the present one is elsewhere. */
function sayWhereKeyIs(name: string): void {
  const file = getSecretsFile(name)
  if (existsSync(file) && !existsSync(getRotationFile(name)))
    console.log(
      `secret    SECRETS_KEY is in ${file}: keep it in a safe place and delete the file. Without it the tokens of plugins cannot be decrypted`,
    )
}

/** A Worker that has lost its key gets no other one by itself, while anything is stored that only the lost one can decrypt. */
async function lookForUnreadable(
  { name, ...database }: Pick<Installation, 'name' | 'config' | 'run'>,
  { values, isNew }: SecretsPlan,
): Promise<void> {
  const unreadable = await findUnreadable(database, values)
  if (unreadable === undefined) return
  if (isNew)
    throw new UsageError(
      `${name} has no SECRETS_KEY any more, and secrets of plugins and webhooks are encrypted: ${unreadable}. A new key could not read them, so nothing was deployed. Put the key that it had as SECRETS_KEY into an --env-file, and run the same command with it. If nobody has it any more, put a new one there, of \`openssl rand -base64 32\`: the deep health names what cannot be read, and its teams store it anew or remove it`,
    )
  console.log(`secret    with the SECRETS_KEY that was given cannot be read: ${unreadable}`)
}

/** A rollback that was killed has left it paused. What fails is no reason to deploy again. */
function deliverSends({ name, run }: Pick<Installation, 'name' | 'config' | 'run'>): void {
  const sends = getResourceName(name, 'sends')
  if (!run(['queues', 'resume-delivery', sends]).isDone)
    console.log(`queue     ${sends} may not deliver. It does by:  npm run admin -- resume --installation ${name}`)
}

/** What is deployed has the secrets of the newest version: of a pause that broke off after a rollback, that is not what runs. */
function refuseHalfPause(installation: Pick<Installation, 'name' | 'config' | 'run'>): void {
  const { id, newest, secrets } = readRunning(installation)
  if (id === newest.id) return
  const { isPaused } = readPauseState(secrets)
  if (isPaused === readPauseState(readVersion(installation, newest.id).secrets).isPaused) return
  throw new SetupError(
    `a pause or its end broke off: this deployment would ${isPaused ? 'open' : 'pause'} ${installation.name}. Nothing is deployed. Run the one that was meant, first:
  npm run admin -- pause --installation ${installation.name}
  npm run admin -- resume --installation ${installation.name}`,
  )
}

/** Returns the commit of the code, which a rollback prints. */
function readCommit(): string | undefined {
  const git = (...args: string[]) => spawnSync('git', args, { encoding: 'utf8' })
  const { status, stdout } = git('rev-parse', '--short', 'HEAD')
  if (status !== 0) return undefined
  return `${stdout.trim()}${git('status', '--porcelain', '--untracked-files=no').stdout === '' ? '' : LOCAL_CHANGES}`
}

const { values } = readArguments(USAGE, { options: OPTIONS })
try {
  const template = readFileSync('wrangler.toml', 'utf8')
  await setUp(readOptions(values, template), template)
} catch (error) {
  if (error instanceof UsageError) refuseArguments(error.message, USAGE)
  if (error instanceof GradualError) console.error(error.message)
  else if (error instanceof SetupError)
    console.error(`${error.message}\n\nWhat was made is kept: run the same command again, and it goes on from here.`)
  else throw error
  process.exit(1)
}
