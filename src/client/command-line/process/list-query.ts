import type { ListProcessesBody } from '../../generated/bodies.ts'
import type { Given, Options } from '../command/command.ts'
import { jsonOption, listOption } from '../command/options.ts'
import { WHERE_OPTION } from './arguments.ts'

/** The options of commands that select processes. */
export const SELECT_OPTIONS = {
  ...WHERE_OPTION,
  sort: { value: 'field[:desc]', summary: 'the order', multiple: true },
} as const satisfies Options

export type Selection = Pick<ListProcessesBody, 'where' | 'sort'>

export function selectionOf(given: Given): Selection {
  const sort = listOption(given, 'sort').map(sortOf)
  const where = whereOption(given)
  return { ...(sort.length > 0 ? { sort } : {}), ...(where === undefined ? {} : { where }) }
}

/** The API checks what is in the query. */
export const whereOption = (given: Given) => jsonOption(given, 'where') as ListProcessesBody['where']

function sortOf(given: string): { field: string; order: 'asc' | 'desc' } {
  const [, field = '', order = 'asc'] = /^(.+?)(?::(asc|desc))?$/.exec(given) ?? []
  return { field, order: order === 'desc' ? 'desc' : 'asc' }
}
