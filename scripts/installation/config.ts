import { getDatabaseName, getRateLimitId, getResourceName, getWorkerName } from './names.ts'
import { REGIONS } from './resources.ts'

/** The account that a configuration names. */
export const readAccountId = (config: string): string | undefined => /^account_id = "(.*)"$/m.exec(config)?.[1]

/** The id of the database in a configuration, where none is made yet. */
export const NO_DATABASE = '00000000-0000-0000-0000-000000000000'

/** Whether a configuration is that of a first run which may not have made its database. */
export const hasNoDatabase = (config: string): boolean => config.includes(`database_id = "${NO_DATABASE}"`)

/** The custom domain that a configuration names. */
export const readDomain = (config: string): string | undefined => /^routes = \[\{ pattern = "(.*?)"/m.exec(config)?.[1]

/** Where the database of a configuration is. */
export const readLocation = (config: string): string | undefined => /^LOCATION = "(.+)"$/m.exec(config)?.[1]

/** What an installation has of its own, beside its name. */
export interface InstallationChoices {
  name: string
  databaseId: string
  accountId?: string | undefined
  location: string
  /** The custom domain. */
  domain?: string | undefined
  /** Values of `[vars]` that differ from the template's. */
  settings: Record<string, string>
}

/** The sections whose names and ids `getOwnValue` knows. One that is new in the template must be thought about first. */
const KNOWN_SECTIONS = [
  ...['vars', 'assets', 'migrations', 'triggers', 'placement', 'limits', 'version_metadata'],
  ...['observability', 'observability.logs', 'd1_databases', 'ratelimits', 'r2_buckets', 'queues.producers'],
  ...['queues.consumers', 'durable_objects.bindings'],
]

const SECTION = /^\[+([\w.]+)\]+\s*$/
const STRING = /^(\w+) = "([^"]*)"\s*$/
const CALLS = 'CALLS_PER_MINUTE = '
const ROLE_CALLS = /(\w+) = (\d+)/g
const LIMIT = /^simple = \{ limit = \d+/

/** Set by an option, as it is for good. */
const OF_OPTION = 'LOCATION'

const getCallsSetting = (role: string): string => `CALLS_PER_MINUTE_${role.toUpperCase()}`

/** The names of the queues in the template: one, however often it is named. */
export const listQueues = (template: string): string[] => [
  ...new Set([...template.matchAll(/^(?:dead_letter_)?queue = "([^"]*)"/gm)].map(([, queue = '']) => queue)),
]

export const listBuckets = (template: string): string[] =>
  [...template.matchAll(/^bucket_name = "([^"]*)"/gm)].map(([, bucket = '']) => bucket)

/** The settings by name: `CALLS_PER_MINUTE_ADMIN` is what CALLS_PER_MINUTE has for a role, and the limit that enforces it. */
export const listSettings = (template: string): string[] =>
  toLines(template).flatMap(({ section, line }) => {
    if (section !== 'vars') return []
    const [, key = OF_OPTION] = STRING.exec(line) ?? []
    if (!line.startsWith(CALLS)) return key === OF_OPTION ? [] : [key]
    return [...line.matchAll(ROLE_CALLS)].map(([, role = '']) => getCallsSetting(role))
  })

/** The settings as the Worker will get them. */
export const readVars = (config: string): Record<string, unknown> =>
  Object.fromEntries(
    toLines(config).flatMap(({ section, line }) => {
      if (section !== 'vars') return []
      const [, key = '', value = ''] = STRING.exec(line) ?? []
      if (key !== '') return [[key, value]]
      const calls = [...line.matchAll(ROLE_CALLS)].map(([, role, number]) => [role, Number(number)])
      return line.startsWith(CALLS) ? [['CALLS_PER_MINUTE', Object.fromEntries(calls)]] : []
    }),
  )

function toLines(template: string) {
  let section = ''
  return template.split('\n').map(line => {
    section = SECTION.exec(line)?.[1] ?? section
    return { section, line, isHeading: SECTION.test(line) }
  })
}

/**
 * The configuration of one installation: the template with its own names and ids, so that nothing that is tracked is
 * edited. It is made anew at each run; what is chosen is kept in the record beside it.
 */
export function installationConfig(template: string, chosen: InstallationChoices): string {
  const lines = toLines(template)
  const unknown = lines.find(({ section }) => section !== '' && !KNOWN_SECTIONS.includes(section))
  if (unknown)
    throw new Error(`scripts/installation/config.ts does not know the section ${unknown.section} of wrangler.toml`)
  let binding = ''
  const own = lines.flatMap(({ section, line, isHeading }, at) => {
    const [, key = '', value = ''] = STRING.exec(line) ?? []
    if (section === 'ratelimits' && key === 'name') binding = value
    const replaced =
      key === ''
        ? withCalls(line, binding, chosen)
        : section === 'placement'
          ? `region = ${JSON.stringify(REGIONS[chosen.location])}`
          : `${key} = ${JSON.stringify(getOwnValue(chosen, { section, key, value, binding }))}`
    const isFirstHeading = isHeading && !lines.slice(0, at).some(each => each.isHeading)
    return [...(isFirstHeading ? toTop(chosen) : []), replaced]
  })
  return [`# Made by \`npm run setup -- --name ${chosen.name}\` from wrangler.toml, and made anew by each run: edit`]
    .concat([`# ${chosen.name}.json beside it instead.`, ...own])
    .join('\n')
}

interface Line {
  section: string
  key: string
  value: string
  /** The rate limit that the line belongs to. */
  binding: string
}

function getOwnValue(
  { name, databaseId, location, domain, settings }: InstallationChoices,
  { section, key, value, binding }: Line,
): string {
  switch (section === '' || section === 'vars' ? `${section}.${key}` : key) {
    case '.name':
      return getWorkerName(name)
    case 'database_name':
      return getDatabaseName(name)
    case 'database_id':
      return databaseId
    case 'queue':
    case 'dead_letter_queue':
    case 'bucket_name':
      return getResourceName(name, value)
    case 'namespace_id':
      return getRateLimitId(name, binding)
    // Paths are relative to the file that names them.
    case '.main':
    case 'migrations_dir':
    case 'directory':
      return `../${value}`
    case 'vars.LOCATION':
      return location
    case 'vars.PUBLIC_ORIGIN':
      return settings.PUBLIC_ORIGIN ?? (domain === undefined ? value : `https://${domain}`)
    default:
      return section === 'vars' ? (settings[key] ?? value) : value
  }
}

/** What callers are told, and what enforces it: both have the same number. */
function withCalls(line: string, binding: string, { settings }: InstallationChoices): string {
  if (line.startsWith(CALLS))
    return line.replace(
      ROLE_CALLS,
      (_, role: string, calls: string) => `${role} = ${settings[getCallsSetting(role)] ?? calls}`,
    )
  const calls = settings[getCallsSetting(binding.replace('RATE_', ''))]
  return calls === undefined ? line : line.replace(LIMIT, `simple = { limit = ${calls}`)
}

/** With a domain, wrangler would turn the address at workers.dev off, and everything that was handed out under it. */
const toTop = ({ accountId, domain }: InstallationChoices): string[] => [
  ...(accountId === undefined ? [] : [`account_id = ${JSON.stringify(accountId)}`]),
  ...(domain === undefined ? [] : [`routes = [{ pattern = ${JSON.stringify(domain)}, custom_domain = true }]`]),
  'workers_dev = true',
  '',
]
