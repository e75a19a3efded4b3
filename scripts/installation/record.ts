import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** What was chosen for an installation. The location is that of its database and bucket, for good. */
export interface InstallationRecord {
  location?: string
  domain?: string
  accountId?: string
  settings?: Record<string, string>
}

export const FOLDER = 'installations'
const fileOf = (name: string, kind: string): string => path.join(FOLDER, `${name}.${kind}`)

export const configFileOf = (name: string): string => fileOf(name, 'toml')
export const recordFileOf = (name: string): string => fileOf(name, 'json')
/** In the git-ignored file of an installation are the secrets that setup has made, until they are kept elsewhere. */
export const secretsFileOf = (name: string): string => fileOf(name, 'secrets.json')
/** This file exists while a deployment runs: it has the secrets that the caller has given. */
export const givenSecretsFileOf = (name: string): string => fileOf(name, 'given.secrets.json')
/** One line for each migration of the deployed database: when, and the bookmark to go back to. */
export const bookmarksFileOf = (name: string): string => fileOf(name, 'bookmarks')
/** This file exists from the reading of what was taken away until a restore has ended: the restored database has it no more. */
export const withdrawnFileOf = (name: string): string => fileOf(name, 'withdrawn.secrets.json')

/** This file exists while a version runs that is not the newest one: what a rollback came from, and what it went back to. */
export const rollbackFileOf = (name: string): string => fileOf(name, 'rollback')

export const readRollback = (name: string): { from: string; to: string } | undefined =>
  existsSync(rollbackFileOf(name))
    ? (JSON.parse(readFileSync(rollbackFileOf(name), 'utf8')) as { from: string; to: string })
    : undefined

export const readRecord = (name: string): InstallationRecord =>
  existsSync(recordFileOf(name)) ? (JSON.parse(readFileSync(recordFileOf(name), 'utf8')) as InstallationRecord) : {}
