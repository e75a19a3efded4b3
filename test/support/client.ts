import { vi } from 'vitest'
import { type CallNote, type Caseworker, caseworker, type Fetch, type Settings } from '../../src/client/client.ts'
import { fetchWorker, ORIGIN, type Team } from './api.ts'
import { OWN_PAGE } from './browser-session.ts'

/** The way from the client to the Worker. */
export const toWorker = (address: string, init: RequestInit, bindings?: Env): Promise<Response> =>
  fetchWorker(address.slice(ORIGIN.length), init, bindings)

/** A team's client, which does not wait long between its tries. */
export const createClient = (team: Team, settings: Partial<Settings> = {}): Caseworker =>
  caseworker({ baseUrl: ORIGIN, token: team.token, fetch: toWorker, backoffMs: 1, ...settings })

/** A page of the installation: the browser keeps the cookie, and says where the page is from. */
export function createBrowserClient(notes: CallNote[] = [], bindings?: Env): Caseworker {
  let cookie = ''
  const inBrowser: Fetch = async (address, { credentials, ...init }) => {
    const headers = { ...init.headers, ...OWN_PAGE, ...(credentials === undefined ? {} : { cookie }) }
    const response = await toWorker(address, { ...init, headers }, bindings)
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie
    return response
  }
  return caseworker({ baseUrl: ORIGIN, token: null, fetch: inBrowser, onCall: note => notes.push(note) })
}

/** Makes the client's pauses short. Nothing else waits for a timer meanwhile. */
export async function withShortPauses<Result>(act: () => Promise<Result>): Promise<Result> {
  const setRealTimeout = globalThis.setTimeout
  const soon = (run: () => void, ms = 0) => setRealTimeout(run, ms / 100)
  const pauses = vi.spyOn(globalThis, 'setTimeout').mockImplementation(soon as unknown as typeof setTimeout)
  try {
    return await act()
  } finally {
    pauses.mockRestore()
  }
}

export interface Tried {
  method: string
  path: string
  key: string | undefined
}

/** A trouble of the network with a call: none, the request or its response is lost, or the network answers itself. */
export type Trouble = 'none' | 'lost' | 'answer lost' | (() => Response)

/** A network that does this to the first calls, and lets the others through. */
export function troubled(...troubles: Trouble[]) {
  const tried: Tried[] = []
  const through: Fetch = async (address, init) => {
    const trouble = troubles[tried.length] ?? 'none'
    tried.push({ method: init.method, path: address.slice(ORIGIN.length), key: init.headers['idempotency-key'] })
    if (typeof trouble === 'function') return trouble()
    if (trouble === 'lost') throw new TypeError('the connection was refused')
    const response = await toWorker(address, init)
    if (trouble === 'none') return response
    await response.body?.cancel()
    throw new TypeError('the connection was reset')
  }
  return { tried, fetch: through }
}

export async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = []
  for await (const item of items) found.push(item)
  return found
}
