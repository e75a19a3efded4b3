/** The definition at hand is older than the stored one: load it anew and try again. */
export class StaleProcedure extends Error {
  override readonly name = 'StaleProcedure'
}
