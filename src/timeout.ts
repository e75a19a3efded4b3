export const sleep = (ms: number): Promise<void> => scheduler.wait(ms)

/** Rejects if a call takes longer than `ms`, and if a binding throws before there is a promise. */
export async function withTimeout<T>(ms: number, call: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | null = null
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([call(), late])
  } finally {
    clearTimeout(timer)
  }
}
