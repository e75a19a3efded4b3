import type { Team } from './api.ts'
import { ORIGIN, type Reply, request } from './api.ts'
import { newSoftPasskey, type SoftPasskey } from './authenticator.ts'

/** The headers that a page of the installation sends besides. */
export const OWN_PAGE = { origin: ORIGIN, 'sec-fetch-site': 'same-origin' }

/** The whole cookie of a response, as the browser sends it back. */
export const getCookie = (reply: Pick<Reply, 'headers'>): string => reply.headers.get('set-cookie')?.split(';')[0] ?? ''

/** A new link for a user of the team: its token. */
export async function linkFor(team: Team, user = team.admin): Promise<string> {
  const { data, status } = await team.call('POST', `/v1/ext/user/${user}/sign-in-link`)
  if (status !== 201) throw new Error(`no link: ${status}`)
  return data.url.split('#')[1]
}

export const postSignIn = (body: unknown, headers: Record<string, string> = OWN_PAGE): Promise<Reply> =>
  request('POST', '/v1/session', {
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

/** Calls with a cookie, as a page of the installation makes them; other headers replace those of the page. */
export const byCookie =
  (cookie: string): Team['call'] =>
  (method, path, body, headers = {}) =>
    request(method, path, {
      headers: {
        cookie,
        ...OWN_PAGE,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })

/** Signs in as a user of the team. */
export async function startSession(team: Team, user = team.admin) {
  const reply = await postSignIn({ link: await linkFor(team, user) })
  const cookie = getCookie(reply)
  return { id: reply.data.id as string, cookie, call: byCookie(cookie) }
}

export async function newUser(team: Team, role: string): Promise<string> {
  const { data } = await team.call('POST', '/v1/ext/user', { username: `user-${crypto.randomUUID()}`, role })
  return data.id
}

type Browser = Pick<Awaited<ReturnType<typeof startSession>>, 'call'>

/** A passkey that an authenticator has made for whoever has signed in; not added yet. */
export async function newRegistration({ call }: Browser): Promise<SoftPasskey> {
  const { data } = await call('POST', '/v1/ext/passkey/challenge')
  return newSoftPasskey(data.challenge, data.user.id)
}

/** Adds a passkey in a session, as the page does. */
export async function addPasskey(team: Team, user = team.admin) {
  const browser = await startSession(team, user)
  const device = await newRegistration(browser)
  const added = await browser.call('POST', '/v1/ext/passkey', { name: 'Laptop', passkey: device.registration })
  return { browser, device, added, id: added.data.id as string }
}

/** A challenge for somebody who signs in. */
export async function newSignInChallenge(): Promise<string> {
  return (await request('POST', '/v1/session/challenge', { headers: OWN_PAGE })).data.challenge
}
