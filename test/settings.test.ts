import { afterEach, describe, expect, it, vi } from 'vitest'
import { requestWith } from './support/broken-bindings.ts'

const HEALTH = '/v1/health'

afterEach(() => void vi.restoreAllMocks())

describe('the settings of an installation', () => {
  it('are named in the first response and in the log where they are wrong, all at once', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const wrong = {
      JOB_RETENTION_DAYS: 'soon',
      JOB_ARCHIVE_MINUTES: '1000000',
      MESSAGE_RETENTION_DAYS: '1',
      TRASH_RETENTION_DAYS: 'never',
      WHATSAPP_MESSAGES_PER_SECOND: '',
      WHATSAPP_API_URL: 'graph.facebook.com:443',
      WEBHOOK_PORTS: '443,0',
      CALLS_PER_MINUTE: { admin: 1, manager: 0, agent: 1.5, viewer: 1 },
    }
    const { status, meta } = await requestWith(wrong as unknown as Partial<Env>, HEALTH, { method: 'GET' })
    expect(status).toBe(500)
    const told = JSON.stringify(meta.errors)
    for (const name of [...Object.keys(wrong), 'manager, agent']) {
      expect(told).toContain(name)
      expect(JSON.stringify(logged.mock.calls)).toContain(name)
    }
  })

  it.each([
    'LOG_SUCCESS_PERCENT',
    'TEAM_DATABASE_MS_PER_SECOND',
    'TEAM_DATABASE_BURST_MS',
    'JOB_RETENTION_DAYS',
    'JOB_ARCHIVE_MINUTES',
    'DATABASE_BYTES_MAX',
    'MESSAGE_RETENTION_DAYS',
    'TRASH_RETENTION_DAYS',
    'MEDIA_RETENTION_DAYS',
    'REQUEST_RETENTION_DAYS',
    'REQUEST_READS_PERCENT',
    'WHATSAPP_MESSAGES_PER_SECOND',
    'WHATSAPP_API_URL',
    'WEBHOOK_PORTS',
    'WEBHOOK_LOCAL_ADDRESSES',
    'CALLS_PER_MINUTE',
  ])('are incomplete without %s', async name => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const { status, meta } = await requestWith({ [name]: undefined }, HEALTH, { method: 'GET' })
    expect(status).toBe(500)
    expect(meta.errors.map((each: { message: string }) => each.message)).toEqual([expect.stringContaining(name)])
  })

  it('stop nothing where only the address of alerts is wrong: the deep health check fails', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const OPERATOR_TOKEN = 'o'.repeat(32)
    const wrong = { ALERT_URL: 'http://hooks.example.com/T0', OPERATOR_TOKEN }
    expect((await requestWith(wrong, HEALTH, { method: 'GET' })).status).toBe(200)
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` }
    const { status, data } = await requestWith(wrong, `${HEALTH}?deep=true`, { method: 'GET', headers })
    expect([status, data.checks.settings]).toEqual([
      503,
      { status: 'failing', reason: expect.stringContaining('ALERT_URL') },
    ])
  })

  it('are right as they are delivered', async () => {
    expect((await requestWith({}, HEALTH, { method: 'GET' })).status).toBe(200)
  })
})
