import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { writeNew, writeWhole } from '../local/whole-file.ts'
import { SetupError } from './command.ts'
import { readAccountId, readDomain, readLocation } from './config.ts'
import { isHostName } from './names.ts'

/** What was chosen for an installation. The location is that of its database and bucket, for good. */
export interface InstallationRecord {
  location?: string
  domain?: string
  accountId?: string
  settings?: Record<string, string>
}

export const FOLDER = 'installations'
const getFile = (name: string, kind: string): string => path.join(FOLDER, `${name}.${kind}`)

export const getConfigFile = (name: string): string => getFile(name, 'toml')
export const getRecordFile = (name: string): string => getFile(name, 'json')
/** In the git-ignored file of an installation are the secrets that setup has made, until they are kept elsewhere. */
export const getSecretsFile = (name: string): string => getFile(name, 'secrets.json')
/** This file exists while a deployment runs: it has the secrets that the caller has given. */
export const getGivenSecretsFile = (name: string): string => getFile(name, 'given.secrets.json')
/** This file exists while the key is being changed: both keys, and when the new one began to be used. */
export const getRotationFile = (name: string): string => getFile(name, 'rotation.secrets.json')
/** A key that was removed, by its id. */
export const getPreviousKeyFile = (name: string, id: string): string => getFile(name, `${id}.secrets.json`)
/** One line for each migration of the deployed database: when, and the bookmark to go back to. */
export const getBookmarksFile = (name: string): string => getFile(name, 'bookmarks')
/** This file exists from the beginning of a restore until it has ended: what the restored database does not know any more. */
export const getRestoreFile = (name: string): string => getFile(name, 'restore.secrets.json')
/** What restores that have ended had read, for a later one: that may bring back what they have lost. */
export const getEndedRestoresFile = (name: string): string => getFile(name, 'restored.secrets.json')

/** Reads a file of JSON; undefined if it does not exist. */
export function readJsonFile<Contents>(file: string): Contents | undefined {
  if (!existsSync(file)) return undefined
  const text = readFileSync(file, 'utf8')
  try {
    return JSON.parse(text) as Contents
  } catch (error) {
    const reason = text.trim() === '' ? 'empty' : `no JSON (${(error as Error).message})`
    throw new SetupError(`${file} is ${reason}: put it back from a copy of it`)
  }
}

const OWNER_ONLY = 0o600

/** Writes a file that only its owner may read. */
export const writeSecretFile = (file: string, contents: unknown): void =>
  writeWhole(file, JSON.stringify(contents), OWNER_ONLY)

/** False: the file is there already, and stays as it is. */
export const writeNewSecretFile = (file: string, contents: unknown): boolean =>
  writeNew(file, JSON.stringify(contents), OWNER_ONLY)

export function readRecord(name: string): InstallationRecord {
  const file = getRecordFile(name)
  const record: InstallationRecord = readJsonFile(file) ?? {}
  if (record.domain !== undefined && !isHostName(record.domain))
    throw new SetupError(`${file}: domain must be a host such as api.example.com`)
  return record
}

type LastRun = { [Key in 'location' | 'domain' | 'accountId']?: string | undefined }

/** What the last run was for: the record may have been edited since. Where no more than the record was copied to, what that says. */
export function readLastRun(name: string): LastRun {
  const file = getConfigFile(name)
  if (!existsSync(file)) return readRecord(name)
  const config = readFileSync(file, 'utf8')
  return { location: readLocation(config), domain: readDomain(config), accountId: readAccountId(config) }
}

/** Says which installations there are: whoever mistypes a name at night is not to make another one. */
export function describeUnknown(name: string): string {
  const known = (existsSync(FOLDER) ? readdirSync(FOLDER) : [])
    .filter(file => file.endsWith('.toml'))
    .map(file => path.parse(file).name)
  const there = known.length === 0 ? `there is none in ${FOLDER}` : `there are ${known.join(', ')}`
  return `there is no installation ${name} here (${getConfigFile(name)}): ${there}. If it was set up elsewhere, copy its files from there. A new one is made by \`npm run setup\``
}
