import type { Options } from './command.ts'

/** The options of every command. */
export const GLOBAL_OPTIONS = {
  profile: { value: 'name', summary: 'the profile to use (CASEWORKER_PROFILE)', completed: 'profile' },
  url: { value: 'address', summary: 'the address of the API (CASEWORKER_URL)' },
  token: { value: 'token', summary: 'the token (better CASEWORKER_TOKEN, or login: others can see arguments)' },
  help: { summary: 'the help of the command', short: 'h' },
  version: { summary: 'the version' },
} as const satisfies Options
