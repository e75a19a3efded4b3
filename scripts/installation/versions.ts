import { describeFailure, must, SetupError } from './command.ts'
import type { Installation } from './options.ts'

/** A state of code, configuration and secrets, as Cloudflare keeps it: a change of a secret makes one, too. */
export interface Version {
  id: string
  number: number
  createdAt: number
  isOfSecret: boolean
  /** The commit of its code, which setup has given it. */
  commit: string | undefined
}

interface VersionDetails {
  classes: string[]
  /** The tag of the last migration of object classes. */
  tag: string | undefined
}

interface WranglerVersion {
  id: string
  number: number
  metadata: { created_on: string }
  annotations?: Record<string, string>
  resources?: {
    bindings?: { type: string; class_name?: string }[]
    script_runtime?: { migration_tag?: string }
  }
}

interface WranglerDeployment {
  created_on: string
  versions: { version_id: string; percentage: number }[]
}

const readJson = <Data>({ run, config }: Installation, ...args: string[]): Data =>
  JSON.parse(must(run, [...args, '--json', '--config', config])) as Data

/** Those that can be deployed, from newer to older. */
export const listVersions = (installation: Installation): Version[] =>
  readJson<WranglerVersion[]>(installation, 'versions', 'list')
    .map(({ id, number, metadata, annotations }) => ({
      id,
      number,
      createdAt: Date.parse(metadata.created_on),
      commit: annotations?.['workers/tag'],
      isOfSecret:
        annotations?.['workers/triggered_by'] === 'secret' ||
        // As wrangler notes one that it makes without deploying it.
        annotations?.['workers/message']?.startsWith('Updated secret ') === true,
    }))
    .sort((one, other) => other.number - one.number)

/** The ids of what was deployed, from newer to older; of a deployment in parts both. */
export const listDeployed = (installation: Installation): string[][] =>
  readJson<WranglerDeployment[]>(installation, 'deployments', 'list')
    .sort((one, other) => Date.parse(other.created_on) - Date.parse(one.created_on))
    .map(({ versions }) => versions.map(each => each.version_id))

export function readVersion(installation: Installation, id: string): VersionDetails {
  const { resources = {} } = readJson<WranglerVersion>(installation, 'versions', 'view', id)
  const classes = (resources.bindings ?? []).flatMap(({ type, class_name: name }) =>
    type === 'durable_object_namespace' && name !== undefined ? [name] : [],
  )
  return { classes, tag: resources.script_runtime?.migration_tag }
}

const SECRETS_CHANGED = /10220/
const CHANGED = /secrets have changed: ([\w, ]+)/

/**
 * Deploys a version whole. It has the secrets of its time, so Cloudflare refuses one from before a change of them; a change of
 * PAUSED alone is none that matters. Resolves to the secrets that stand in the way.
 */
export function deployVersion({ run, config }: Installation, id: string, message: string): string[] {
  const deploy = ['versions', 'deploy', `${id}@100%`, '--yes', '--message', message, '--config', config]
  const { isDone, output } = run(deploy)
  if (isDone) return []
  if (!SECRETS_CHANGED.test(output)) throw new SetupError(describeFailure(deploy, output))
  const changed = (CHANGED.exec(output)?.[1] ?? 'a secret').split(', ').map(name => name.trim())
  if (changed.some(name => name !== 'PAUSED')) return changed
  // Without a terminal, this command does not ask whether the secret may be what it was.
  must(run, ['rollback', id, '--yes', '--message', message, '--config', config])
  return []
}
