import { createHash } from 'node:crypto'

const NAME_CHARACTERS_MAX = 32
const NAME = /^[a-z]([a-z0-9-]*[a-z0-9])?$/
const HOST_NAME = /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/

export const isInstallationName = (name: string): boolean => NAME.test(name) && name.length <= NAME_CHARACTERS_MAX

export const isHostName = (domain: string): boolean => HOST_NAME.test(domain)

/** Everything of an installation begins with this: an account can have several. */
export const getWorkerName = (installation: string): string => `caseworker-${installation}`

export const getDatabaseName = getWorkerName

/** `jobs` is `caseworker-acme-jobs`, and `caseworker-media` is `caseworker-acme-media`. */
export const getResourceName = (installation: string, name: string): string =>
  `${getWorkerName(installation)}-${name.replace(/^caseworker-/, '')}`

const NAMESPACES = 2 ** 31

/** Bindings that have one id count together, even across Workers. The same installation gets the same id each time. */
export function getRateLimitId(installation: string, binding: string): string {
  const hash = createHash('sha256').update(`${installation} ${binding}`).digest()
  return String(1 + (hash.readUInt32BE(0) % (NAMESPACES - 1)))
}
