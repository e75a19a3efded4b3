import type { MiddlewareHandler } from 'hono'
import { getStatus, graphError, refusal } from './errors.ts'
import type { Fault } from './faults.ts'

/** The header by which an account tells the network what to do to its response. Callers never see it. */
export const FAULT_HEADER = 'x-emulator-fault'

/** Disturbs an account's response on its way to the caller. */
export async function disturbed(answer: Response): Promise<Response> {
  const told = answer.headers.get(FAULT_HEADER)
  if (told === null) return answer
  const fault = JSON.parse(told) as Fault
  const { status } = answer
  const body = await answer.text()
  switch (fault.kind) {
    case 'drop':
      throw new Error('The connection was dropped on demand')
    case 'cut':
      return new Response(brokenOff(body), { status, headers: { 'content-type': 'application/json' } })
    case 'error':
      return Response.json(graphError(refusal(fault.code, 'Asked for by number or rule')), {
        status: getStatus(fault.code),
      })
    case 'http':
      return new Response('<html><body>An error occurred.</body></html>', {
        status: fault.status,
        headers: { 'content-type': 'text/html' },
      })
    case 'garbage':
      return new Response(fault.body, { headers: { 'content-type': 'text/html' } })
    case 'hang':
    case 'slow':
      await scheduler.wait(fault.ms)
  }
  const headers = new Headers(answer.headers)
  headers.delete(FAULT_HEADER)
  return new Response(body, { status, headers })
}

/** Fewer bytes than were promised, and then the end. */
function brokenOff(text: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  const { readable, writable } = new FixedLengthStream(bytes.byteLength)
  const writer = writable.getWriter()
  const halfway = async () => {
    await writer.write(bytes.slice(0, Math.ceil(bytes.byteLength / 2)))
    await writer.abort(new Error('The connection was cut on demand'))
  }
  halfway().catch(() => undefined)
  return readable
}

/** Reads a body that no handler has read: the runtime complains about one that is still being sent when the response has gone. */
export const readWholeBody: MiddlewareHandler = async (c, next) => {
  await next()
  const { raw } = c.req
  if (raw.body && !raw.bodyUsed) await raw.body.pipeTo(new WritableStream())
}
