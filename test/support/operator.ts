import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import worker from '../../src/index.ts'
import { ORIGIN } from './origin.ts'

export const OPERATOR_TOKEN = 'operator-token-of-the-tests-0123456789'

/** A request of the operator of the installation, with other bindings if a test needs them. */
export async function operate(method: string, path: string, body?: BodyInit, bindings: Partial<Env> = {}) {
  const context = createExecutionContext()
  const request = new Request<unknown, IncomingRequestCfProperties>(`${ORIGIN}/v1/operate${path}`, {
    method,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
    ...(body === undefined ? {} : { body }),
  })
  const response = await worker.fetch(request, { ...env, OPERATOR_TOKEN, ...bindings }, context)
  await waitOnExecutionContext(context)
  return response
}

export async function operateJson(method: string, path: string, body?: BodyInit, bindings: Partial<Env> = {}) {
  const response = await operate(method, path, body, bindings)
  // biome-ignore lint/suspicious/noExplicitAny: the test says what it expects of a body
  const { _data: data, _errors: errors } = (await response.json()) as any
  return { status: response.status, data, errors }
}

/** Every line of an export, however many responses it takes. */
export async function exportLines(team: string): Promise<string[]> {
  const lines: string[] = []
  let query = ''
  for (;;) {
    const text = new TextDecoder().decode(await (await operate('GET', `/team/${team}/rows${query}`)).arrayBuffer())
    const received = text.trimEnd().split('\n')
    const last = JSON.parse(received.pop() ?? '{}') as { next?: string; end?: true; rows: number }
    if (last.rows !== received.length) throw new Error(`${received.length} rows, ${last.rows} announced`)
    lines.push(...received)
    if (last.end) return lines
    query = `?after=${encodeURIComponent(last.next ?? '')}`
  }
}

/** Goes on until nothing is left. */
export async function erase(team: string, bindings: Partial<Env> = {}): Promise<void> {
  let query = ''
  for (;;) {
    const { status, data } = await operateJson('POST', `/team/${team}/erase${query}`, undefined, bindings)
    if (status !== 200) throw new Error(`the erasure answered ${status}`)
    if (data.done) return
    if (data.waitMs) throw new Error(`the erasure waits for ${data.waitMs} ms`)
    query = `?after=${encodeURIComponent(data.next)}`
  }
}
