import type { Procedure } from '../../client.ts'

/** Case, spaces, dots, colons, underscores and hyphens are not compared. */
export const plainName = (name: string): string => name.toLowerCase().replaceAll(/[\s_.:-]/g, '')

/** The short id of the state that a cell names: people write its name, programs its short id. */
export function stateCalled({ states }: Pick<Procedure, 'states'>, text: string): string | undefined {
  const wanted = plainName(text)
  const exact = states.find(({ shortId }) => shortId === text)
  const found = exact ?? states.find(({ shortId, name }) => [shortId, name].map(plainName).includes(wanted))
  return found?.shortId
}

/** Whether most cells of a column name states. */
export function holdStates(procedure: Pick<Procedure, 'states'>, cells: readonly string[]): boolean {
  const filled = cells.filter(cell => cell.trim() !== '')
  const known = filled.filter(cell => stateCalled(procedure, cell.trim()) !== undefined)
  return known.length > filled.length / 2
}

const NAMED_MAX = 12

/** Why a cell is no state, with those that there are. */
export function noStateFault({ states }: Pick<Procedure, 'states'>, text: string): string {
  const names = states.slice(0, NAMED_MAX).map(({ name, shortId }) => name || shortId)
  return `there is no state ${text}: there are ${names.join(', ')}${states.length > NAMED_MAX ? ', …' : ''}`
}
