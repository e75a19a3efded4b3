import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { isWebAddress } from '../../src/http/web-address.ts'
import { KEY_BYTES } from '../../src/plugin/secret/key-id.ts'
import { suggest } from '../../src/suggest.ts'
import { type Run, runner, type Start, starter } from './command.ts'
import { listSettings, readAccountId } from './config.ts'
import { isHostName, isInstallationName } from './names.ts'
import {
  describeUnknown,
  getConfigFile,
  getRecordFile,
  type InstallationRecord,
  readLastRun,
  readRecord,
} from './record.ts'
import { LOCATIONS } from './resources.ts'

const WAIT_MINUTES = 5
const WAIT_MINUTES_MAX = 1_440

export const USAGE = `usage: npm run setup -- --name <installation> [--location <where>] [--domain <host> [--replace-dns]] [--env-file <file>] [--gradual [--wait-minutes <number>] [--url <address>]] [--dry-run]

  --name          letters, digits and dashes; everything that is made is called caseworker-<installation>
  --location      where the database is, for good: ${LOCATIONS.join(', ')}
  --domain        a custom domain, such as api.example.com; it must be in the account
  --replace-dns   takes the domain although it leads somewhere already
  --env-file      NAME=value lines: settings of wrangler.toml, SECRETS_KEY, OPENID_CLIENT_SECRET, ALERT_URL, and credentials that begin with CLOUDFLARE_
  --gradual       an update in steps: the new version gets 0, 10, 50 and 100 % of the requests as long as it works. Needs the secret
                  OPERATOR_TOKEN in the environment; with SMOKE_TOKEN, an admin's token, every feature is walked through
  --wait-minutes  with --gradual: how long the new version is watched at 10 and at 50 %, 0 to ${WAIT_MINUTES_MAX}; ${WAIT_MINUTES} if not said
  --url           with --gradual: where the installation answers, if it has no domain
  --dry-run       prints the commands of wrangler, and runs and writes nothing`

export class UsageError extends Error {}

export interface GradualOptions {
  /** Where the installation answers. */
  url: string
  /** The deep health tells which version has answered. */
  operatorToken: string
  waitMinutes: number
}

/** One that setup has made. */
export interface Installation {
  name: string
  /** The file of its configuration. */
  config: string
  run: Run
  start: Start
  /** What the file of the caller has. */
  secrets: Record<string, string>
}

export function openInstallation(name: string | undefined, envFile: string | undefined): Installation {
  if (name === undefined) throw new UsageError('--installation is missing: the name that setup was given')
  const config = getConfigFile(name)
  if (!existsSync(config)) throw new UsageError(describeUnknown(name))
  const accountId = readAccountId(readFileSync(config, 'utf8'))
  const { credentials, secrets } =
    envFile === undefined
      ? { credentials: {}, secrets: {} }
      : readEnvFile(envFile, listSettings(readFileSync('wrangler.toml', 'utf8')))
  // A command that reads no configuration, as those about queues, is told the account by the environment.
  const env = { ...(accountId === undefined ? {} : { CLOUDFLARE_ACCOUNT_ID: accountId }), ...credentials }
  return { name, config, secrets, run: runner(env), start: starter(env) }
}

const KEYS = ['SECRETS_KEY', 'SECRETS_KEY_PREVIOUS']
const SECRETS = [...KEYS, 'OPENID_CLIENT_SECRET', 'ALERT_URL']

export interface Options {
  name: string
  isDryRun: boolean
  replacesDns: boolean
  record: InstallationRecord & { location: string }
  secrets: Record<string, string>
  /** Of an update in steps. */
  gradual: GradualOptions | undefined
  /** For wrangler itself. */
  credentials: Record<string, string>
}

/** What this run is to do: the record of earlier runs, with what is said now. */
export function readOptions(given: ParsedOptions, template: string): Options {
  const { name = '', location, domain } = given
  if (!isInstallationName(name))
    throw new UsageError('--name is required: 1 to 32 lower-case letters, digits and dashes')
  if (location !== undefined && !LOCATIONS.includes(location))
    throw new UsageError(`--location must be one of ${LOCATIONS.join(', ')}`)
  if (domain !== undefined && !isHostName(domain))
    throw new UsageError('--domain must be a host such as api.example.com')
  const known = listSettings(template)
  const file: EnvFile = given['env-file'] === undefined ? {} : readEnvFile(given['env-file'], known)
  const record = readRecord(name)
  checkNames(getRecordFile(name), Object.keys(record.settings ?? {}), known)
  const last = readLastRun(name)
  const place = last.location ?? record.location ?? location
  if (place === undefined) throw new UsageError('--location is required: where the database is made it stays')
  if (location !== undefined && location !== place)
    throw new UsageError(`${name} is in ${place} for good (${getRecordFile(name)}): a database cannot be moved`)
  if (record.location !== undefined && record.location !== place)
    throw new UsageError(
      `${name} is in ${place} for good (${getConfigFile(name)}): a database cannot be moved, and ${getRecordFile(name)} says ${record.location}. Put ${place} back there`,
    )
  const chosen = file.credentials?.CLOUDFLARE_ACCOUNT_ID ?? process.env.CLOUDFLARE_ACCOUNT_ID
  const accountId = last.accountId ?? record.accountId ?? chosen
  if (record.accountId !== undefined && record.accountId !== accountId)
    throw new UsageError(
      `${name} is in the account ${accountId} (${getConfigFile(name)}), and ${getRecordFile(name)} says ${record.accountId}. Put ${accountId} back there`,
    )
  if (chosen !== undefined && chosen !== accountId)
    throw new UsageError(
      `${name} is in the account ${accountId} (${getRecordFile(name)}), and CLOUDFLARE_ACCOUNT_ID is ${chosen}`,
    )
  return {
    name,
    isDryRun: given['dry-run'] === true,
    replacesDns: given['replace-dns'] === true,
    record: {
      location: place,
      ...pick({ domain: domain ?? record.domain, accountId }, ['domain', 'accountId']),
      settings: { ...record.settings, ...file.settings },
    },
    secrets: file.secrets ?? {},
    // A command that reads no configuration, as those about queues, is told the account by the environment.
    credentials: { ...file.credentials, ...(accountId === undefined ? {} : { CLOUDFLARE_ACCOUNT_ID: accountId }) },
    gradual: readGradual(given, domain ?? record.domain),
  }
}

function readGradual(given: ParsedOptions, domain: string | undefined): GradualOptions | undefined {
  const { gradual, url, 'wait-minutes': wait } = given
  if (gradual !== true) {
    if (url !== undefined || wait !== undefined)
      throw new UsageError(`${url === undefined ? '--wait-minutes' : '--url'} is for an update with --gradual`)
    return undefined
  }
  const waitMinutes = Number(wait ?? WAIT_MINUTES)
  if (!/^\d+$/.test(wait ?? '0') || waitMinutes > WAIT_MINUTES_MAX)
    throw new UsageError(`--wait-minutes must be a whole number from 0 to ${WAIT_MINUTES_MAX}`)
  checkAddress(url)
  const address = url ?? (domain === undefined ? undefined : `https://${domain}`)
  if (address === undefined)
    throw new UsageError('--gradual needs --url, the address of the installation, as it has no domain')
  const { OPERATOR_TOKEN: operatorToken } = process.env
  if (operatorToken === undefined)
    throw new UsageError('--gradual needs OPERATOR_TOKEN in the environment: by it the new version is examined')
  return { url: address.replace(/\/+$/, ''), operatorToken, waitMinutes }
}

export function checkAddress(url: string | undefined): void {
  if (url !== undefined && !isWebAddress(url))
    throw new UsageError(`--url must be an address such as https://api.example.com, not ${url}`)
}

const text = { type: 'string' } as const
export const OPTIONS = {
  name: text,
  location: text,
  domain: text,
  'env-file': text,
  'dry-run': { type: 'boolean' },
  'replace-dns': { type: 'boolean' },
  gradual: { type: 'boolean' },
  'wait-minutes': text,
  url: text,
} as const

type ParsedOptions = {
  [Name in keyof typeof OPTIONS]?: (typeof OPTIONS)[Name]['type'] extends 'string' ? string : boolean
}

/** A name that is misspelt would do nothing. */
function checkNames(file: string, names: readonly string[], known: readonly string[]): void {
  const wrong = names.find(name => !known.includes(name))
  if (wrong === undefined) return
  const meant = suggest(wrong, known)
  throw new UsageError(`${file}: unknown setting ${wrong}${meant === undefined ? '' : `; did you mean ${meant}?`}`)
}

const pick = <Key extends string>(from: Partial<Record<Key, string | undefined>>, keys: readonly Key[]) =>
  Object.fromEntries(keys.flatMap(key => (from[key] === undefined ? [] : [[key, from[key]]]))) as Partial<
    Record<Key, string>
  >

interface EnvFile {
  settings?: Record<string, string>
  secrets?: Record<string, string>
  credentials?: Record<string, string>
}

function readEnvFile(file: string, known: readonly string[]): Required<EnvFile> {
  if (!existsSync(file)) throw new UsageError(`there is no file ${file}`)
  const values = Object.entries(parseEnv(readFileSync(file, 'utf8'))).map(
    ([key, value]) => [key, String(value)] as const,
  )
  const isCredential = (key: string) => key.startsWith('CLOUDFLARE_')
  const others = values.map(([key]) => key).filter(key => !isCredential(key))
  checkNames(file, others, [...known, ...SECRETS])
  const short = values.find(([key, value]) => KEYS.includes(key) && byteLength(value) !== KEY_BYTES)
  if (short) throw new UsageError(`${file}: ${short[0]} must be ${KEY_BYTES} bytes in base64`)
  const odd = values.find(([key, value]) => key.startsWith('CALLS_PER_MINUTE_') && !/^[1-9]\d{0,8}$/.test(value))
  if (odd) throw new UsageError(`${file}: ${odd[0]} must be a whole number above 0`)
  const those = (fits: (key: string) => boolean) => Object.fromEntries(values.filter(([key]) => fits(key)))
  return {
    settings: those(key => known.includes(key)),
    secrets: those(key => SECRETS.includes(key)),
    credentials: those(isCredential),
  }
}

const byteLength = (base64: string): number => Buffer.from(base64, 'base64').byteLength
