import { describeFailure, must, SetupError } from './command.ts'
import type { Installation } from './options.ts'
import { isOfPause } from './pause-rules.ts'

/** A state of code, configuration and secrets, as Cloudflare keeps it: a change of a secret makes one, too. */
export interface Version {
  id: string
  number: number
  createdAt: number
  changesSecret: boolean
  /** The commit of its code, which setup has given it. */
  commit: string | undefined
  /** Uploaded for an update in steps: whether it ever had all requests is not known by it. */
  isGradual: boolean
  /** Of a pause after a rollback: the version that runs again when it ends. */
  pausedVersion: string | undefined
}

/** Behind the commit of a version: its code had changes that were not committed. */
export const LOCAL_CHANGES = '+'

/** All that these functions need of an installation. */
type Account = Pick<Installation, 'run' | 'config'>

interface VersionDetails {
  classes: string[]
  /** The names of its secrets. */
  secrets: string[]
  /** The tag of the last migration of object classes. */
  tag: string | undefined
}

interface WranglerVersion {
  id: string
  number: number
  metadata: { created_on: string }
  annotations?: Record<string, string>
  resources?: {
    bindings?: { type: string; name?: string; class_name?: string }[]
    script_runtime?: { migration_tag?: string }
  }
}

interface WranglerDeployment {
  created_on: string
  versions: { version_id: string; percentage: number }[]
}

const readJson = <Data>({ run, config }: Account, ...args: string[]): Data =>
  JSON.parse(must(run, [...args, '--json', '--config', config])) as Data

/** The message of a version that is paused while another one is to run. */
export const describeOver = (id: string): string => `Updated secret PAUSED over ${id}`
const OVER = /^Updated secret PAUSED over ([0-9a-f-]{36})$/

/** The message of a version that an update in steps has uploaded. */
export const IN_STEPS = 'an update in steps'

/** Those that can be deployed, from newer to older. */
export const listVersions = (installation: Account): Version[] =>
  readJson<WranglerVersion[]>(installation, 'versions', 'list')
    .map(({ id, number, metadata, annotations }) => ({
      id,
      number,
      createdAt: Date.parse(metadata.created_on),
      commit: annotations?.['workers/tag'],
      isGradual: annotations?.['workers/message'] === IN_STEPS,
      pausedVersion: OVER.exec(annotations?.['workers/message'] ?? '')?.[1],
      changesSecret:
        annotations?.['workers/triggered_by'] === 'secret' ||
        // As wrangler notes one that it makes without deploying it.
        /^(Updated|Deleted) secret /.test(annotations?.['workers/message'] ?? ''),
    }))
    .sort((one, other) => other.number - one.number)

/** A version of a deployment, and the percentage of the requests that it gets. */
export interface Part {
  id: string
  share: number
}

/** What was deployed, from newer to older. Two versions of one deployment are parts of it. */
export const listDeployments = (installation: Account): Part[][] =>
  readJson<WranglerDeployment[]>(installation, 'deployments', 'list')
    .sort((one, other) => Date.parse(other.created_on) - Date.parse(one.created_on))
    .map(({ versions }) => versions.map(({ version_id: id, percentage: share }) => ({ id, share })))

export const readParts = (installation: Account): Part[] => listDeployments(installation)[0] ?? []

/** A version never changes, and wrangler takes seconds to show one: each is asked for once. */
const versionDetails = new Map<string, VersionDetails>()

export function readVersion(installation: Account, id: string): VersionDetails {
  const details = versionDetails.get(id) ?? askForVersion(installation, id)
  versionDetails.set(id, details)
  return details
}

function askForVersion(installation: Account, id: string): VersionDetails {
  const { resources = {} } = readJson<WranglerVersion>(installation, 'versions', 'view', id)
  const classes = (resources.bindings ?? []).flatMap(({ type, class_name: name }) =>
    type === 'durable_object_namespace' && name !== undefined ? [name] : [],
  )
  const secrets = (resources.bindings ?? []).flatMap(({ type, name }) =>
    type === 'secret_text' && name !== undefined ? [name] : [],
  )
  return { classes, secrets, tag: resources.script_runtime?.migration_tag }
}

/** Of a deployment in parts, the newer one. */
export function findCurrent(versions: readonly Version[], parts: readonly Part[]): Version {
  const found = versions.find(({ id }) => parts.some(part => part.id === id))
  if (!found) throw new SetupError('the version that runs is not among those that Cloudflare lists')
  return found
}

/** What runs, and whether it is the newest: of another one Cloudflare changes no secret. */
export interface Running extends Version {
  newest: Version
  secrets: string[]
}

/** The parts are read first: what is deployed meanwhile is among the versions then. */
export function readRunning(installation: Account, parts: readonly Part[] = readParts(installation)): Running {
  const versions = listVersions(installation)
  const current = findCurrent(versions, parts)
  const { secrets } = readVersion(installation, current.id)
  return { ...current, newest: versions[0] ?? current, secrets }
}

/** True from a rollback to the next setup, in a pause as well, and after an update in steps that was given up. */
export const isRolledBack = ({ id, newest, pausedVersion }: Running): boolean =>
  id !== newest.id || pausedVersion !== undefined

const SECRETS_CHANGED = /10220/
const CHANGED = /secrets have changed: ([\w, ]+)/

/**
 * Deploys several versions, each with a share. Objects stay with the version that they have got as long as the parts keep
 * their order and the share of the new one grows.
 */
export function deployParts({ run, config }: Account, parts: readonly Part[], message: string): void {
  const specs = parts.map(({ id, share }) => `${id}@${share}%`)
  must(run, ['versions', 'deploy', ...specs, '--yes', '--message', message, '--config', config])
}

/**
 * Deploys a version whole. It has the secrets of its time, so Cloudflare refuses one from before a change of them; a change of
 * what tells of a pause is none that matters. Returns the secrets that stand in the way.
 */
export function deployVersion({ run, config }: Account, id: string, message: string): string[] {
  const deploy = ['versions', 'deploy', `${id}@100%`, '--yes', '--message', message, '--config', config]
  const { isDone, output } = run(deploy)
  if (isDone) return []
  if (!SECRETS_CHANGED.test(output)) throw new SetupError(describeFailure(deploy, output))
  const changed = (CHANGED.exec(output)?.[1] ?? 'a secret').split(', ').map(name => name.trim())
  if (changed.some(name => !isOfPause(name))) return changed
  // Without a terminal, this command does not ask whether the secret may be what it was.
  must(run, ['rollback', id, '--yes', '--message', message, '--config', config])
  return []
}
