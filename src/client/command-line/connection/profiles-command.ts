import type { Command } from '../command/command.ts'
import { UsageError } from '../command/usage-error.ts'
import { printRows, ROW_OPTIONS } from '../output/print-rows.ts'
import { readProfiles, writeProfiles } from './profiles.ts'

export const profilesCommand: Command = {
  name: 'profiles',
  group: 'Connection',
  summary: 'List the profiles, or choose the one that is used if none is named',
  arguments: [{ name: 'profile', summary: 'the profile to use from now on', optional: true, completed: 'profile' }],
  options: ROW_OPTIONS,
  examples: ['profiles staging'],
  run: {
    async local(given) {
      const [chosen] = given.words
      const { current, profiles } = await readProfiles()
      if (chosen !== undefined && !Object.hasOwn(profiles, chosen))
        throw new UsageError(`there is no profile ${chosen}: caseworker login --profile ${chosen}`)
      if (chosen !== undefined) await writeProfiles({ current: chosen, profiles })
      const used = chosen ?? current
      const rows = Object.entries(profiles).map(([name, { url }]) => ({ profile: name, url, inUse: name === used }))
      await printRows(given, rows, ['profile', 'url', 'inUse'])
      return undefined
    },
  },
}
