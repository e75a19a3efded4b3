import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

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
/** This file exists from the reading of what was taken away until a restore has ended: the restored database has it no more. */
export const getWithdrawnFile = (name: string): string => getFile(name, 'withdrawn.secrets.json')

/** This file exists while a version runs that is not the newest one: what a rollback came from, and what it went back to. */
export const getRollbackFile = (name: string): string => getFile(name, 'rollback')

/** Reads a file of JSON; undefined if it does not exist. */
export const readJsonFile = <Contents>(file: string): Contents | undefined =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Contents) : undefined

const OWNER_ONLY = 0o600

/** Writes a file that only its owner may read. */
export const writeSecretFile = (file: string, contents: unknown): void =>
  writeFileSync(file, JSON.stringify(contents), { mode: OWNER_ONLY })

export const readRollback = (name: string): { from: string; to: string } | undefined =>
  readJsonFile(getRollbackFile(name))

export const readRecord = (name: string): InstallationRecord => readJsonFile(getRecordFile(name)) ?? {}
