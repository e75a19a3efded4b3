import type { ListProcessesBody } from '../../generated/bodies.ts'
import type { Given, Options } from '../command/command.ts'
import { jsonOption, listOption, textOption } from '../command/options.ts'
import { WHERE_OPTION } from './arguments.ts'

/** The options of commands that select processes. */
export const SELECT_OPTIONS = {
  ...WHERE_OPTION,
  search: { value: 'words', summary: 'words that all occur in the primary key or the searchable attributes' },
  sort: { value: 'field[:desc]', summary: 'the order', multiple: true },
} as const satisfies Options

export type Selection = Pick<ListProcessesBody, 'where' | 'search' | 'sort'>

export function selectionOf(given: Given): Selection {
  const sort = listOption(given, 'sort').map(sortOf)
  const [where, search] = [whereOption(given), textOption(given, 'search')]
  return {
    ...(sort.length > 0 ? { sort } : {}),
    ...(where === undefined ? {} : { where }),
    ...(search === undefined ? {} : { search }),
  }
}

/** The API checks what is in the query. */
export const whereOption = (given: Given) => jsonOption(given, 'where') as ListProcessesBody['where']

function sortOf(given: string): { field: string; order: 'asc' | 'desc' } {
  const [, field = '', order = 'asc'] = /^(.+?)(?::(asc|desc))?$/.exec(given) ?? []
  return { field, order: order === 'desc' ? 'desc' : 'asc' }
}
