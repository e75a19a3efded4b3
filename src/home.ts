export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The cell of the installation. There is only one until there are several, but credentials and addresses have a place for it. */
const CELL = '0'
/** Matches a cell, and the number of a team in base62 without leading zeros: eight digits are less than 2^53. */
const HOME = /^[0-9A-Za-z]([1-9A-Za-z][0-9A-Za-z]{0,7})$/

/** Encodes where a team is. Values that come from outside before the team is proved contain it, so that no directory is asked. */
export function toHome(team: number): string {
  let digits = ''
  for (let rest = team; rest > 0; rest = Math.floor(rest / 62)) digits = BASE62.charAt(rest % 62) + digits
  return CELL + digits
}

/** Reads the number of the team that a home names. Only a row proves that it is the caller's. */
export function readHome(home: string): number | undefined {
  const digits = HOME.exec(home)?.[1]
  if (digits === undefined || !home.startsWith(CELL)) return undefined
  return Array.from(digits).reduce((number, digit) => number * 62 + BASE62.indexOf(digit), 0)
}
