import type { Plugin } from '../../client.ts'
import type { Given, Options, Session } from '../command/command.ts'
import { textOption } from '../command/options.ts'
import { UsageError } from '../command/usage-error.ts'
import { printError } from '../output/terminal.ts'

export const PLUGIN_OPTION = {
  plugin: { value: 'plugin', summary: 'the id or name of the plugin, if there are several' },
} as const satisfies Options
export const FROM_OPTION = {
  from: { value: 'number', summary: 'the phone number to send from, or its id, if there are several' },
} as const satisfies Options

const digitsOf = (text: string): string => text.replace(/\D/g, '')

/** The plugin that is named, or the only one. */
export async function pluginFor({ client, signal }: Session, given: Given): Promise<Plugin> {
  const plugins = await client.plugins.list({ signal })
  const named = textOption(given, 'plugin')
  const found = named === undefined ? plugins : plugins.filter(({ id, name }) => id === named || name === named)
  const [plugin] = found
  if (plugin !== undefined && found.length === 1) return plugin
  const known = plugins.map(({ id, name }) => `${name} (${id})`).join(', ')
  if (plugins.length === 0) throw new UsageError('the team has no plugin')
  throw new UsageError(
    `${named === undefined ? 'there are several plugins' : `there is no one plugin ${named}`}: --plugin takes ${known}`,
  )
}

/** The plugin to send by. Where its secrets were encrypted with another key, nothing can be sent: its reader learns why first. */
export async function pluginToSend(session: Session, given: Given): Promise<Plugin> {
  const plugin = await pluginFor(session, given)
  if (!plugin.areSecretsReadable)
    printError(
      `warning: the secrets of ${plugin.name} (${plugin.id}) can't be read, so nothing can be sent: enter them anew\n`,
    )
  return plugin
}

/** The id of the phone number that is named, or of the only one. */
export function senderOf({ phoneNumbers, name }: Plugin, given: Given): string {
  const named = textOption(given, 'from')
  const found =
    named === undefined
      ? phoneNumbers
      : phoneNumbers.filter(each => each.id === named || digitsOf(each.displayNumber) === digitsOf(named))
  const [sender] = found
  if (sender !== undefined && found.length === 1) return sender.id
  const known = phoneNumbers.map(({ id, displayNumber }) => `${displayNumber} (${id})`).join(', ')
  throw new UsageError(
    `${name} has ${named === undefined ? 'several phone numbers' : `no phone number ${named}`}: --from takes ${known}`,
  )
}
