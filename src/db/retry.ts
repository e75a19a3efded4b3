/** The attempts of an operation when other writes conflict with it. */
const ATTEMPTS_MAX = 6

/**
 * Runs `act`, which reads, decides and writes, and runs it again after a conflict with another write. It receives the
 * number of the attempt. After too many attempts the last error is thrown.
 */
export async function retryOnConflict<T>(
  isConflict: (error: unknown) => boolean,
  act: (attempt: number) => Promise<T>,
  attemptsMax = ATTEMPTS_MAX,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await act(attempt)
    } catch (error) {
      if (!isConflict(error) || attempt >= attemptsMax) throw error
    }
  }
}
