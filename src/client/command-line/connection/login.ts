import { caseworker } from '../../client.ts'
import type { Command, Given } from '../command/command.ts'
import { textOption } from '../command/options.ts'
import { UsageError } from '../command/usage-error.ts'
import { printError } from '../output/terminal.ts'
import { askSecret, askText } from './ask.ts'
import { checkAddress, settingOf } from './connection.ts'
import { profilesFile, readProfiles, writeProfiles } from './profiles.ts'
import { sentenceOf } from './whoami.ts'

export const loginCommand: Command = {
  name: 'login',
  group: 'Connection',
  summary: 'Store the address of the API and a token as a profile',
  details: `The token is asked for, or read from standard input. It is tried, and stored in a file that only you can read.`,
  arguments: [],
  options: {},
  examples: ['login --url https://caseworker.example.com', 'login --url http://localhost:8787 --profile local'],
  run: {
    async local(given) {
      const stored = await readProfiles()
      const name = settingOf(given, 'profile', 'CASEWORKER_PROFILE')?.value ?? stored.current
      const url = await addressFor(given)
      const token = textOption(given, 'token') ?? (await askSecret('Token: '))
      if (token === '') throw new UsageError('the token is empty')
      const caller = await caseworker({ baseUrl: url, token }).me()
      await writeProfiles({ current: name, profiles: { ...stored.profiles, [name]: { url, token } } })
      printError(`${sentenceOf(caller)}\nstored as profile ${name} in ${profilesFile()}\n`)
      return undefined
    },
  },
}

async function addressFor(given: Given): Promise<string> {
  const setting = settingOf(given, 'url', 'CASEWORKER_URL') ?? {
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
    async local(given) {
      const { current, profiles } = await readProfiles()
      const name = settingOf(given, 'profile', 'CASEWORKER_PROFILE')?.value ?? current
      const { [name]: removed, ...others } = profiles
      if (removed === undefined) throw new UsageError(`there is no profile ${name}`)
      const next = current === name ? (Object.keys(others)[0] ?? 'default') : current
      await writeProfiles({ current: next, profiles: others })
      printError(`profile ${name} removed; its token is still valid\n`)
      return undefined
    },
  },
}
