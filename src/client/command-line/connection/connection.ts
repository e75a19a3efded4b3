import type { Given } from '../command/command.ts'
import { textOption } from '../command/options.ts'
import { UsageError } from '../command/usage-error.ts'
import { printError } from '../output/terminal.ts'
import { othersMayRead, type Profile, profilesFile, readProfiles } from './profiles.ts'

/** Where a command goes, and by whose right. */
export interface Connection {
  url: string
  token: string
  /** The profile that the token is from; undefined if it was given. */
  profile: string | undefined
}

interface Setting {
  value: string
  /** Its option or variable, for messages. */
  from: string
}

/** Options win over the environment, the environment over the profile. */
export async function connectionFor(given: Given): Promise<Connection> {
  const url = settingOf(given, 'url', 'CASEWORKER_URL')
  const token = settingOf(given, 'token', 'CASEWORKER_TOKEN')
  if (url !== undefined) checkAddress(url)
  if (url !== undefined && token !== undefined) return { url: url.value, token: token.value, profile: undefined }
  const { name, profile } = await chosenProfile(given)
  if (profile === undefined) throw new UsageError(missingSentence(url, token, name))
  // The token of one server is not shown to another.
  if (url !== undefined && originOf(url.value) !== originOf(profile.url))
    throw new UsageError(
      `the profile ${name} is for ${profile.url}, not for ${url.value} of ${url.from}: set CASEWORKER_TOKEN, or choose another profile`,
    )
  if (token === undefined && (await othersMayRead()))
    printError(`warning: others may read ${profilesFile()}: chmod 600 ${profilesFile()}\n`)
  return {
    url: url?.value ?? profile.url,
    token: token?.value ?? profile.token,
    profile: token === undefined ? name : undefined,
  }
}

/** The profile that is named by the option or the environment, or the current one. */
export async function chosenProfile(given: Given): Promise<{ name: string; profile: Profile | undefined }> {
  const { current, profiles } = await readProfiles()
  const named = settingOf(given, 'profile', 'CASEWORKER_PROFILE')
  const name = named?.value ?? current
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  return { name, profile }
}

/** An empty variable counts as given, and is an error: it is mostly a mistake of a script. */
export function settingOf(given: Given, option: string, variable: string): Setting | undefined {
  const chosen = textOption(given, option)
  const value = chosen ?? process.env[variable]
  const from = chosen === undefined ? variable : `--${option}`
  if (value !== undefined && value.trim() === '') throw new UsageError(`${from} is empty`)
  return value === undefined ? undefined : { value, from }
}

export function checkAddress({ value, from }: Setting): void {
  if (!/^https?:\/\/[^/]/i.test(value) || !URL.canParse(value))
    throw new UsageError(`${from} must be an address such as http://localhost:8787, not ${value}`)
}

const originOf = (url: string): string => new URL(url).origin

function missingSentence(url: Setting | undefined, token: Setting | undefined, profile: string): string {
  const missing = url === undefined && token === undefined ? 'the address of the API and the token are' : undefined
  const one = url === undefined ? 'the address of the API is' : 'the token is'
  return `${missing ?? one} missing, and there is no profile ${profile}: caseworker login, or set CASEWORKER_URL and CASEWORKER_TOKEN`
}
