// The expectations of a check that is a program: the first that does not hold ends it.
let held = 0

/** Returns the number of expectations that have held. */
export const heldExpectations = (): number => held

export function expectSame(found: unknown, wanted: unknown, about: string): void {
  const [is, should] = [JSON.stringify(found), JSON.stringify(wanted)]
  if (is !== should) throw new Error(`${about}: ${is} instead of ${should}`)
  held += 1
}

export function expectMatch(found: string, wanted: RegExp, about: string): void {
  if (!wanted.test(found)) throw new Error(`${about}: ${wanted} is not in:\n${found}`)
  held += 1
}
