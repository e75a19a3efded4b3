import { EXIT } from './command/exit-code.ts'
import { run } from './run.ts'

const stopped = new AbortController()
process.once('SIGINT', () => stopped.abort(new Error('interrupted')))
// The reader may close the pipe: `caseworker list lead | head`.
process.stdout.on('error', error => {
  if ('code' in error && error.code === 'EPIPE') process.exit(EXIT.success)
  throw error
})

process.exitCode = await run(process.argv.slice(2), stopped.signal)
