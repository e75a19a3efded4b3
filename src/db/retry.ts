/** How often something is decided anew because somebody else was faster. */
const ATTEMPTS_MAX = 6

/**
 * Decides and writes; and does both again, from what is true by then, when somebody else was faster. `act` is told which
 * attempt it is. After too many the last error is thrown.
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
