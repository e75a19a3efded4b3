import { env } from 'cloudflare:workers'
import { fetchWorker, type Team } from './api.ts'

/** Makes a failed request of the team, which is logged: in other tests, requests are not collected. */
export async function makeLoggedRequest(team: Pick<Team, 'token'>): Promise<{ id: string }> {
  const headers = { authorization: `Bearer ${team.token}` }
  const response = await fetchWorker('/v1/ext/message?nope=1', { headers }, {
    ...env,
    REQUEST_RETENTION_DAYS: '7',
  } as unknown as Env)
  await response.text()
  return { id: response.headers.get('x-request-id') ?? '' }
}
