import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { Harness } from '../support/harness.ts'
import { LEADS, newLeadTeam } from '../support/jobs.ts'

type Line = Record<string, unknown>

it('each log line about a job has its id, its row number and the id of its team', async () => {
  const team = await newLeadTeam()
  const lines: Line[] = []
  for (const level of ['info', 'warn', 'error'] as const)
    vi.spyOn(console, level).mockImplementation(line => void lines.push(JSON.parse(String(line)) as Line))
  const isLogged = (member: string) => lines.some(line => member in line)
  const harness = new Harness(
    { JOB_TUNING: { chunkEntries: 2, sliceChunks: 1, timeLimitMs: 250 } },
    {
      // The job's object is never reached, its first message is not taken, and the next one does not find the database at first.
      fault: (kind, _, __, { trigger }) => {
        const fails =
          kind === 'object' ||
          (kind === 'queue' && !isLogged('unsent')) ||
          (kind === 'database' && trigger === 'message' && !isLogged('attempts'))
        return fails ? 'fails before' : undefined
      },
    },
  )
  const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, {
    processes: Array.from({ length: 6 }, (_, nth) => ({ lead_id: `L${nth}` })),
  })
  await harness.settle(team)
  vi.restoreAllMocks()
  const { id } = body._data
  const job = await env.DB.prepare('SELECT no FROM background_job WHERE id = ?').bind(id).first<{ no: number }>()
  const about = lines.filter(line => 'jobNo' in line || 'job' in line)
  for (const what of ['unsent', 'unreported', 'attempts', 'from'])
    expect(
      about.some(line => what in line),
      what,
    ).toBe(true)
  for (const line of about) expect(line).toMatchObject({ job: id, jobNo: job?.no, team: team.id })
})
