import { afterEach } from 'vitest'

/** The Worker's own log lines are JSON. Any other line is shown: nobody expects it. */
const OWN_LINE = /^\{"/

// A line for each request, and for each fault that a test injects, would hide the output of tests; and each would be
// sent to another process to be dropped there. Vitest gives each file a console of its own. Where a test fails, its
// last errors are shown.
const ERRORS_MAX = 20
const errors: string[] = []
const show = console.error.bind(console)
for (const level of ['debug', 'log', 'info', 'warn', 'error'] as const) {
  const print = console[level].bind(console)
  console[level] = (...parts: unknown[]) => {
    const [line] = parts
    if (typeof line !== 'string' || !OWN_LINE.test(line)) print(...parts)
    else if (level === 'error') errors.push(line)
  }
}
afterEach(({ task }) => {
  if (task.result?.state === 'fail') for (const line of errors.slice(-ERRORS_MAX)) show(line)
  errors.length = 0
})
