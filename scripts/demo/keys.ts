import { DAY_MS } from '../../src/time-units.ts'
import type { ApiResource, Caller } from './caller.ts'

/** A key that expires soon, one for reading, and one that was revoked. */
export async function makeKeys({ call }: Caller, now: number): Promise<void> {
  const known = await call<ApiResource[]>('GET', '/v1/ext/api-key')
  const keys = [
    { name: 'CRM sync', description: 'Brings new customers each week', role: 'manager', expiresAt: now + 5 * DAY_MS },
    { name: 'Dashboards', description: 'Figures for the screen in the office', role: 'viewer', user: 'olga' },
    { name: 'Trial of a mail tool', description: 'We chose another one', role: 'agent', isRevoked: true },
  ]
  for (const { isRevoked, ...key } of keys) {
    if (known.some(({ name }) => name === key.name)) continue
    const { id } = await call('POST', '/v1/ext/api-key', key)
    if (isRevoked) await call('DELETE', `/v1/ext/api-key/${id}`)
  }
}
