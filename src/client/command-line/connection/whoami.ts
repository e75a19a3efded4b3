import type { Caseworker } from '../../client.ts'
import type { Command } from '../command/command.ts'
import { ONE_OPTIONS, printOne } from '../output/print-rows.ts'

export interface Identity {
  team: string
  teamShortId: string
}

export async function identityOf(client: Caseworker): Promise<Identity> {
  const { team } = await client.config()
  return { team: team.name, teamShortId: team.shortId }
}

export const sentenceOf = ({ team }: Identity): string => `team ${team}`

export const whoamiCommand: Command = {
  name: 'whoami',
  group: 'Connection',
  summary: 'Show the team, the address and the profile in use',
  arguments: [],
  options: ONE_OPTIONS,
  examples: ['whoami', 'whoami --format table'],
  run: {
    async remote({ client, connection }, given) {
      const shown = { ...(await identityOf(client)), url: connection.url, profile: connection.profile ?? null }
      await printOne(given, shown, Object.keys(shown))
      return undefined
    },
  },
}
