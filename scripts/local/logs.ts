/**
 * The runtime writes such lines beside the error that the Worker gets and handles: at each attempt to reach a receiver of webhooks that
 * is not there, for example. The delivery keeps the reason. Its stacks are addresses without names.
 */
const EXPECTED =
  /^(e = |(uncaught )?exception[;: ]).*(Connection refused|DNS lookup failed|disconnected|on demand|thrown away)|^stack: /i

/** Prints what is an error, as the Worker wrote it. */
export function printLog({ level, message }: { level: string; message: string }): void {
  if (level === 'error' && !EXPECTED.test(message)) console.error(message)
}
