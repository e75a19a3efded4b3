/** The definition at hand is not the one in force any more. Whoever holds it loads it again and starts over. */
export class StaleProcedure extends Error {
  override readonly name = 'StaleProcedure'
}
