/** What the Worker's own log lines begin with. Any other line is shown: nobody expects it. */
const NAMES = [
  ...['requestId', 'job', 'chore', 'metrics', 'paused', 'indexBuildOf', 'team', 'webhook'],
  ...['messageSender', 'rateLimiter', 'settledLater', 'settlement', 'unsettled'],
]
const OWN_LINE = new RegExp(`^\\{"(?:${NAMES.join('|')})":`)

// One for each request, and for each fault that a test injects, would hide what tests say; and each would be sent to another
// process to be left out there. Vitest gives each file a console of its own.
for (const level of ['debug', 'log', 'info', 'warn', 'error'] as const) {
  const print = console[level].bind(console)
  console[level] = (...parts: unknown[]) => {
    if (typeof parts[0] !== 'string' || !OWN_LINE.test(parts[0])) print(...parts)
  }
}
