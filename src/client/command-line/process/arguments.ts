import type { Argument, Options } from '../command/command.ts'

export const PROCEDURE: Argument = {
  name: 'procedure',
  summary: 'the short id of the procedure',
  completed: 'procedure',
}
export const PROCESS: Argument = { name: 'process', summary: 'the id or the primary key of the process' }
export const FIELDS: Argument = {
  name: 'field=value',
  summary:
    'an attribute, state, status, assignedTo or nextActionAt; record.<name> for the customer, record.id for another one',
  optional: true,
  many: true,
}
export const WHERE_OPTION = {
  where: { value: 'json', summary: 'a query: \'{"city": "Pune"}\'' },
} as const satisfies Options
export const DATA_OPTION = {
  data: { value: 'json', summary: 'attributes as JSON, for values other than text' },
} as const satisfies Options
export const KEY_OPTION = {
  'idempotency-key': { value: 'key', summary: 'makes a repeated run safe, for 24 hours' },
} as const satisfies Options
export const YES_OPTION = {
  yes: { summary: 'do not ask', short: 'y' },
} as const satisfies Options
