import type { Command } from '../command/command.ts'
import { textOption } from '../command/options.ts'
import { openOutput } from '../output/output-file.ts'
import { PROCEDURE } from '../process/arguments.ts'
import { typesFile } from './types-file.ts'

export const typesCommand: Command = {
  name: 'types',
  group: 'Team',
  summary: 'Write procedures as TypeScript types for the client',
  details: 'With them, where, sort, state and data are typed: caseworker<Procedures>({ … }).processes("lead").',
  arguments: [{ ...PROCEDURE, optional: true, many: true }],
  options: { output: { value: 'file', summary: 'write to a file', short: 'o', completed: 'file' } },
  examples: ['types -o src/procedures.ts', 'types lead ticket'],
  run: {
    async remote({ client, signal }, given) {
      const procedures =
        given.words.length === 0
          ? await client.procedures.list({ signal })
          : await Promise.all(given.words.map(shortId => client.procedures.get(shortId, { signal })))
      const output = await openOutput(textOption(given, 'output'))
      await output.write(typesFile(procedures))
      await output.close()
      return undefined
    },
  },
}
