import { SetupError } from './command.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Until `act` has ended, what would end the command only aborts the signal: `act` puts back what it has changed, and says so. */
export async function heedInterruption<Result>(act: (interruption: AbortSignal) => Promise<Result>): Promise<Result> {
  const interruption = new AbortController()
  const interrupt = (signal: string) => interruption.abort(new SetupError(`interrupted by ${signal}`))
  for (const signal of SIGNALS) process.on(signal, interrupt)
  try {
    return await act(interruption.signal)
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt)
  }
}

/** Rejects with the interruption as soon as there is one. */
export async function unlessInterrupted<Result>(
  interruption: AbortSignal,
  act: () => Promise<Result>,
): Promise<Result> {
  interruption.throwIfAborted()
  const interrupted = new Promise<never>((_, reject) => {
    interruption.addEventListener('abort', () => reject(interruption.reason))
  })
  return Promise.race([act(), interrupted])
}
