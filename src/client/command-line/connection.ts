import { chmod, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { type Caller, caseworker } from '../client.ts'
import { type Command, type ParsedArguments, UsageError } from './command/command.ts'
import { getOption } from './command/options.ts'
import { ONE_OPTIONS, printOne, printRows, ROW_OPTIONS } from './output/rows.ts'
import { askSecret, askText, printError } from './output/terminal.ts'

/** The address and token of a command. */
export interface Connection {
  url: string
  token: string
  /** The profile that the token is from; undefined if it was given. */
  profile: string | undefined
}

interface Setting {
  value: string
  /** The option or variable that it comes from, for messages. */
  from: string
}

/** Options win over the environment, the environment over the profile. */
export async function loadConnection(args: ParsedArguments): Promise<Connection> {
  const url = getSetting(args, 'url', 'CASEWORKER_URL')
  const token = getSetting(args, 'token', 'CASEWORKER_TOKEN')
  if (url !== undefined) checkAddress(url)
  if (url !== undefined && token !== undefined) return { url: url.value, token: token.value, profile: undefined }
  const { name, profile } = await loadProfile(args)
  if (profile === undefined) throw new UsageError(formatMissing(url, token, name))
  // The token of one server is not shown to another.
  if (url !== undefined && getOrigin(url.value) !== getOrigin(profile.url))
    throw new UsageError(
      `the profile ${name} is for ${profile.url}, not for ${url.value} of ${url.from}: set CASEWORKER_TOKEN, or choose another profile`,
    )
  if (token === undefined && (await isReadableByOthers()))
    printError(`warning: others may read ${profilesFile()}: chmod 600 ${profilesFile()}\n`)
  return {
    url: url?.value ?? profile.url,
    token: token?.value ?? profile.token,
    profile: token === undefined ? name : undefined,
  }
}

/** The profile that is named by the option or the environment, or the current one. */
async function loadProfile(args: ParsedArguments): Promise<{ name: string; profile: Profile | undefined }> {
  const { current, profiles } = await readProfiles()
  const named = getSetting(args, 'profile', 'CASEWORKER_PROFILE')
  const name = named?.value ?? current
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  return { name, profile }
}

/** An empty variable counts as given, and is an error: it is mostly a mistake of a script. */
function getSetting(args: ParsedArguments, option: string, variable: string): Setting | undefined {
  const chosen = getOption(args, option)
  const value = chosen ?? process.env[variable]
  const from = chosen === undefined ? variable : `--${option}`
  if (value !== undefined && value.trim() === '') throw new UsageError(`${from} is empty`)
  return value === undefined ? undefined : { value, from }
}

export function checkAddress({ value, from }: Setting): void {
  if (!/^https?:\/\/[^/]/i.test(value) || !URL.canParse(value))
    throw new UsageError(`${from} must be an address such as http://localhost:8787, not ${value}`)
}

const getOrigin = (url: string): string => new URL(url).origin

function formatMissing(url: Setting | undefined, token: Setting | undefined, profile: string): string {
  const missing = url === undefined && token === undefined ? 'the address of the API and the token are' : undefined
  const one = url === undefined ? 'the address of the API is' : 'the token is'
  return `${missing ?? one} missing, and there is no profile ${profile}: caseworker login, or set CASEWORKER_URL and CASEWORKER_TOKEN`
}

export interface Profile {
  url: string
  token: string
}

/** The profiles by name, and which is used if none is named. */
interface Profiles {
  current: string
  profiles: Record<string, Profile>
}

/** Only the owner may read the file, since it has tokens. */
const FILE_MODE = 0o600
const FOLDER_MODE = 0o700
const OTHERS = 0o077
const PROFILE_DEFAULT = 'default'

function profilesFile(): string {
  const { APPDATA, XDG_CONFIG_HOME } = process.env
  const home = process.platform === 'win32' ? APPDATA : XDG_CONFIG_HOME
  return path.join(home || path.join(homedir(), '.config'), 'caseworker', 'profiles.json')
}

export async function readProfiles(): Promise<Profiles> {
  const file = profilesFile()
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      return { current: PROFILE_DEFAULT, profiles: {} }
    throw error
  }
  try {
    const { current, profiles } = JSON.parse(text) as Partial<Profiles>
    if (typeof current === 'string' && typeof profiles === 'object') return { current, profiles }
  } catch {
    // The error below covers this case.
  }
  throw new UsageError(`${file} is damaged: remove it and log in again`)
}

/** Replaced as a whole, so that an interrupted write leaves the old file. */
async function writeProfiles(changed: Profiles): Promise<void> {
  const file = profilesFile()
  await mkdir(path.dirname(file), { recursive: true, mode: FOLDER_MODE })
  const next = `${file}.${process.pid}`
  await writeFile(next, `${JSON.stringify(changed, null, 2)}\n`, { mode: FILE_MODE })
  await chmod(next, FILE_MODE)
  await rename(next, file)
}

/** Returns whether other users of this computer may read the file, although only the owner should. */
async function isReadableByOthers(): Promise<boolean> {
  if (process.platform === 'win32') return false
  const { mode } = await stat(profilesFile())
  return (mode & OTHERS) !== 0
}

export const loginCommand: Command = {
  name: 'login',
  group: 'Connection',
  summary: 'Store the address of the API and a token as a profile',
  details: `The token is asked for, or read from standard input. It is tried, and stored in a file that only you can read.`,
  arguments: [],
  options: {},
  examples: ['login --url https://caseworker.example.com', 'login --url http://localhost:8787 --profile local'],
  run: {
    async local(args) {
      const stored = await readProfiles()
      const name = getSetting(args, 'profile', 'CASEWORKER_PROFILE')?.value ?? stored.current
      const url = await askAddress(args)
      const token = getOption(args, 'token') ?? (await askSecret('Token: '))
      if (token === '') throw new UsageError('the token is empty')
      const caller = await caseworker({ baseUrl: url, token }).me()
      await writeProfiles({ current: name, profiles: { ...stored.profiles, [name]: { url, token } } })
      printError(`${formatCaller(caller)}\nstored as profile ${name} in ${profilesFile()}\n`)
      return undefined
    },
  },
}

async function askAddress(args: ParsedArguments): Promise<string> {
  const setting = getSetting(args, 'url', 'CASEWORKER_URL') ?? {
    value: await askText('Address of the API: '),
    from: 'the address',
  }
  checkAddress(setting)
  return setting.value.replace(/\/+$/, '')
}

export const logoutCommand: Command = {
  name: 'logout',
  group: 'Connection',
  summary: 'Remove a profile',
  arguments: [],
  options: {},
  examples: ['logout --profile local'],
  run: {
    async local(args) {
      const { current, profiles } = await readProfiles()
      const name = getSetting(args, 'profile', 'CASEWORKER_PROFILE')?.value ?? current
      const { [name]: removed, ...others } = profiles
      if (removed === undefined) throw new UsageError(`there is no profile ${name}`)
      const next = current === name ? (Object.keys(others)[0] ?? 'default') : current
      await writeProfiles({ current: next, profiles: others })
      printError(`profile ${name} removed; its token is still valid\n`)
      return undefined
    },
  },
}

const formatCaller = ({ team, user, role }: Caller): string =>
  `${user.displayName} (${role.shortId}), team ${team.name}`

const CALLER_COLUMNS = ['team', 'user', 'role', 'key', 'url', 'profile']

export const whoamiCommand: Command = {
  name: 'whoami',
  group: 'Connection',
  summary: 'Show the team, the user, the role, the address and the profile in use',
  arguments: [],
  options: ONE_OPTIONS,
  examples: ['whoami', 'whoami --format table'],
  run: {
    async remote({ client, connection }, args) {
      const { team, user, role, key } = await client.me()
      const caller = { team: team.shortId, user: user.username, role: role.shortId, key: key?.name ?? '' }
      await printOne(args, { ...caller, url: connection.url, profile: connection.profile ?? null }, CALLER_COLUMNS)
      return undefined
    },
  },
}

export const profilesCommand: Command = {
  name: 'profiles',
  group: 'Connection',
  summary: 'List the profiles, or choose the one that is used if none is named',
  arguments: [{ name: 'profile', summary: 'the profile to use from now on', optional: true, completed: 'profile' }],
  options: ROW_OPTIONS,
  examples: ['profiles staging'],
  run: {
    async local(args) {
      const [chosen] = args.words
      const { current, profiles } = await readProfiles()
      if (chosen !== undefined && !Object.hasOwn(profiles, chosen))
        throw new UsageError(`there is no profile ${chosen}: caseworker login --profile ${chosen}`)
      if (chosen !== undefined) await writeProfiles({ current: chosen, profiles })
      const used = chosen ?? current
      const rows = Object.entries(profiles).map(([name, { url }]) => ({ profile: name, url, inUse: name === used }))
      await printRows(args, rows, ['profile', 'url', 'inUse'])
      return undefined
    },
  },
}
