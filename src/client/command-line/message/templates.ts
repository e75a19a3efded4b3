import type { Command } from '../command/command.ts'
import { hasFlag } from '../command/options.ts'
import { printRows, ROW_OPTIONS } from '../output/print-rows.ts'
import { printError } from '../output/terminal.ts'
import { PLUGIN_OPTION, pluginFor } from './sender.ts'

const COLUMNS = ['name', 'language', 'category', 'status', 'updatedAt', 'text']

/** The text of the body, which says more than the name. */
const bodyText = (components: readonly { type: string; [field: string]: unknown }[]): unknown =>
  components.find(({ type }) => type.toUpperCase() === 'BODY')?.text ?? null

export const templatesCommand: Command = {
  name: 'templates',
  group: 'Messages',
  summary: 'List the templates of a plugin',
  arguments: [],
  options: {
    ...PLUGIN_OPTION,
    sync: { summary: 'fetch them from the provider first' },
    ...ROW_OPTIONS,
  },
  examples: ['templates --sync --columns name,language,text'],
  run: {
    async remote(session, given) {
      const { client, signal } = session
      const { id } = await pluginFor(session, given)
      if (hasFlag(given, 'sync'))
        printError(`${(await client.plugins.syncTemplates(id, { signal })).templates} templates\n`)
      const templates = await client.plugins.templates(id, { signal })
      const rows = templates.map(each => ({ ...each, text: bodyText(each.components) }))
      await printRows(given, rows, COLUMNS)
      return undefined
    },
  },
}
