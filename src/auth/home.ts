export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** An installation is one cell until there are several: its place in credentials and addresses is kept. */
const CELL = '0'
/** A cell, and the number of a team in base62 without leading zeros: eight digits are less than 2^53. */
const HOME = /^[0-9A-Za-z]([1-9A-Za-z][0-9A-Za-z]{0,7})$/

/** Where a team is: it stands in whatever comes from outside before the team is proved, so that no directory is asked. */
export function toHome(team: number): string {
  let digits = ''
  for (let rest = team; rest > 0; rest = Math.floor(rest / 62)) digits = BASE62.charAt(rest % 62) + digits
  return CELL + digits
}

/** The number of the team that a home names: only a row proves that it is the caller's. */
export function readHome(home: string): number | undefined {
  const digits = HOME.exec(home)?.[1]
  if (digits === undefined || !home.startsWith(CELL)) return undefined
  return Array.from(digits).reduce((number, digit) => number * 62 + BASE62.indexOf(digit), 0)
}
