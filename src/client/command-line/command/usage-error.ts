/** An invalid command line or file. The message has the correction. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** A question was answered with no, or could not be asked. Nothing was changed. */
export class DeclinedError extends Error {
  override readonly name = 'DeclinedError'
}
