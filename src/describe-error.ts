/** Describes an error for the log. The message of a failed drizzle query has the statement and its values, so only its cause is logged. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'something that is not an error was thrown'
  if (error.cause instanceof Error && error.message.startsWith('Failed query')) return describeError(error.cause)
  const frame =
    error.stack
      ?.split('\n')
      .find(line => line.includes(' at '))
      ?.trim() ?? ''
  const cause = error.cause instanceof Error ? `, because of ${describeError(error.cause)}` : ''
  return `${error.name}: ${error.message} ${frame}`.trim() + cause
}
