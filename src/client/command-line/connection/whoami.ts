import type { Caller } from '../../client.ts'
import type { Command } from '../command/command.ts'
import { ONE_OPTIONS, printOne } from '../output/print-rows.ts'

export const sentenceOf = ({ team, user, role }: Caller): string =>
  `${user.displayName} (${role.shortId}), team ${team.name}`

const COLUMNS = ['team', 'user', 'role', 'key', 'url', 'profile']

export const whoamiCommand: Command = {
  name: 'whoami',
  group: 'Connection',
  summary: 'Show the team, the user, the role, the address and the profile in use',
  arguments: [],
  options: ONE_OPTIONS,
  examples: ['whoami', 'whoami --format table'],
  run: {
    async remote({ client, connection }, given) {
      const { team, user, role, key } = await client.me()
      const caller = { team: team.shortId, user: user.username, role: role.shortId, key: key?.name ?? '' }
      await printOne(given, { ...caller, url: connection.url, profile: connection.profile ?? null }, COLUMNS)
      return undefined
    },
  },
}
