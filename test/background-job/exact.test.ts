import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Team } from '../support/api.ts'
import { type Call, Harness } from '../support/harness.ts'
import { JOBS, LEADS, leadProcedure, newLeadTeam, rowEntriesBy } from '../support/jobs.ts'
import { attribute } from '../support/procedures.ts'
import { IS_CHAOS } from '../support/seed.ts'

const RUNS = IS_CHAOS ? 60 : 6
const KEYS = ['A', 'B', 'C', 'D', 'E']

const key = fc.constantFrom(...KEYS, 'F')
const update = fc.record(
  {
    data: fc.record(
      { city: fc.constantFrom('Goa', 'Pune', null), score: fc.constantFrom(1, 2, 3, null) },
      { requiredKeys: [] },
    ),
    state: fc.constantFrom('NEW', 'IN_PROGRESS', 'WON'),
    nextActionAt: fc.constantFrom(1_900_000_000_000, null),
  },
  { requiredKeys: [] },
)
const nameLead = (lead: string) => ({ procedureId: 'lead', primaryKeyShortId: 'lead_id', primaryKeyValue: lead })
const entry = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(key, update).map(([lead, processUpdate]) => ({
      apiType: 'PROCESS_UPDATE',
      apiData: { ...nameLead(lead), processUpdate },
    })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(key, update).map(([lead, { state: _, ...sent }]) => ({
      apiType: 'PROCESS_UPSERT',
      apiData: { procedureId: 'lead', processUpsert: { ...sent, data: { ...sent.data, lead_id: lead } } },
    })),
  },
  { weight: 1, arbitrary: key.map(lead => ({ apiType: 'PROCESS_DELETE', apiData: nameLead(lead) })) },
)
/** A change of another caller, before a job or at one of its calls to the database. */
const interference = fc.record({
  key,
  what: fc.constantFrom('update', 'update', 'update', 'delete', 'create'),
  at: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 14 })),
})
type Interference = typeof interference extends fc.Arbitrary<infer Value> ? Value : never

const definitions = {
  same: undefined,
  'another attribute': {
    attributes: [
      attribute('lead_id', 'string'),
      attribute('city', 'string'),
      attribute('score', 'integer'),
      attribute('x', 'string'),
    ],
  },
  // Values of before no longer fit.
  'other values': {
    attributes: [
      attribute('lead_id', 'string'),
      { ...attribute('city', 'stringEnum'), values: ['Goa', 'Rom'] },
      attribute('score', 'integer'),
    ],
  },
} as const
const change = fc.constantFrom(...(Object.keys(definitions) as (keyof typeof definitions)[]))

type State = Record<string, unknown> | 'deleted'

/** Reads all processes by their ids, without times and versions. */
async function readStates(team: Team): Promise<Map<string, State>> {
  const live = await team.call('POST', `${LEADS}/list`, { limit: 100 })
  const trash = await team.call('GET', `${LEADS}/trash`)
  return new Map<string, State>([
    ...trash.data.map(({ id }: { id: string }) => [id, 'deleted'] as const),
    ...live.data.map(({ id, data, state, status, nextActionAt }: Record<string, unknown>) => [
      id,
      { data, state, status, nextActionAt },
    ]),
  ])
}

/** Somebody else's changes, each once: which processes they were, and what they set there. */
function interfere(team: Team, planned: readonly Interference[]) {
  const touched = new Map<string, string>()
  const left = planned.map((each, nth) => ({ ...each, note: `other-${nth}` }))
  async function act({ key: lead, what, note }: (typeof left)[number]): Promise<void> {
    const path = `${LEADS}/lead_id/${lead}`
    const reply =
      what === 'update'
        ? await team.call('PUT', path, { data: { note } })
        : what === 'delete'
          ? await team.call('DELETE', path)
          : await team.call('POST', LEADS, { data: { lead_id: lead, note } })
    if (reply.status === 200 || reply.status === 201) touched.set(reply.data.id, what === 'delete' ? '' : note)
  }
  return {
    touched,
    async actBefore() {
      for (const each of left.filter(({ at }) => at === 0)) await act(each)
    },
    /** The change comes at the calls of the runner: a request is one transaction of its own. */
    async before({ kind, trigger }: Call) {
      if (kind !== 'database' || trigger !== 'message') return
      for (const each of left) if (each.at > 0 && --each.at === 0) await act({ ...each, at: -1 })
    },
  }
}

interface ShownEntry {
  completionStatus: string
  completionMessage: string
  completionResult: { id?: string; code?: string; unchanged?: true; changes?: unknown[] }
  data: { apiData: { processId?: string } }
}

async function run(team: Team, harness: Harness, path: string, body?: unknown): Promise<[string, ShownEntry[]]> {
  const reply = await harness.request(team, 'POST', path, body)
  expect(reply.body._errors).toEqual([])
  await harness.settle(team)
  const id = reply.body._data.id
  return [id, (await team.call('GET', `${JOBS}/${id}/entries?limit=100`)).data]
}

const findId = ({ completionResult: result, data }: ShownEntry): string => result?.id ?? data.apiData.processId ?? ''

const tuned = ({ length }: readonly unknown[]) => ({
  JOB_TUNING: { chunkEntries: 3, sliceChunks: 2, ...rowEntriesBy(length) },
})

async function start(): Promise<Team> {
  const team = await newLeadTeam()
  for (const [nth, lead_id] of KEYS.entries()) await team.call('POST', LEADS, { data: { lead_id, score: nth } })
  return team
}

/** Returns the state of a process after another's change, which is never lost. */
const withNote = (state: State | undefined, note: string): State =>
  note === '' || state === undefined || state === 'deleted'
    ? 'deleted'
    : { ...state, data: { ...(state.data as object), note } }

describe('jobs beside others that change the same processes', () => {
  it('an undo restores each process that nobody else has changed, and names the others entry by entry', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { minLength: 1, maxLength: 10 }),
        fc.array(interference, { maxLength: 4 }),
        change,
        async (entries, planned, definition) => {
          const team = await start()
          const before = await readStates(team)
          const [job, done] = await run(team, new Harness(tuned(entries)), JOBS, {
            entries,
          })
          const changed = done.filter(
            ({ completionStatus, completionResult }) => completionStatus === 'SUCCESS' && !completionResult.unchanged,
          )
          if (changed.length === 0) return
          const after = await readStates(team)
          if (definitions[definition]) await leadProcedure(team, definitions[definition])
          const others = interfere(team, planned)
          await others.actBefore()
          const betweenTouched = new Set(others.touched.keys())
          const [, undone] = await run(
            team,
            new Harness(tuned(entries), { before: others.before }),
            `${JOBS}/${job}/undo`,
          )
          const left = await readStates(team)
          const byProcess = Map.groupBy(undone, findId)
          for (const [id, own] of byProcess) {
            const failed = own.filter(({ completionStatus }) => completionStatus !== 'SUCCESS')
            const note = others.touched.get(id)
            const told = JSON.stringify({ id, own, before: before.get(id), after: after.get(id), left: left.get(id) })
            for (const each of failed) expect(each.completionMessage, told).not.toBe('')
            if (note === undefined) {
              // A process that was made by the job was not there before.
              if (failed.length === 0) expect(left.get(id), told).toEqual(before.get(id) ?? 'deleted')
              else if (own.length === 1) expect(left.get(id), told).toEqual(after.get(id))
              for (const each of failed) expect(each.completionResult.code, told).not.toBe('internal_error')
            } else if (betweenTouched.has(id)) {
              expect(failed, told).toHaveLength(own.length)
              expect(new Set(failed.map(each => each.completionResult.code)), told).toEqual(new Set(['changed_since']))
              expect(left.get(id), told).toEqual(withNote(after.get(id), note))
            } else if (own.length === 1 && left.get(id) !== 'deleted')
              expect(left.get(id), told).toEqual(withNote(failed.length > 0 ? after.get(id) : before.get(id), note))
          }
          // The undo touched nothing that the job had not changed.
          for (const [id, state] of after)
            if (!byProcess.has(id) && !others.touched.has(id)) expect(left.get(id)).toEqual(state)
        },
      ),
      { numRuns: RUNS },
    )
  })

  it('an apply changes what the dry run has shown, and names entry by entry what was changed since', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { minLength: 1, maxLength: 10 }),
        fc.array(interference, { maxLength: 4 }),
        async (entries, planned) => {
          const [team, twin] = await Promise.all([start(), start()])
          const byKey = async (of: Team) =>
            new Map(
              [...(await readStates(of)).values()].flatMap(state =>
                state === 'deleted' ? [] : [[(state.data as { lead_id: string }).lead_id, state] as const],
              ),
            )
          const [, direct] = await run(twin, new Harness(tuned(entries)), JOBS, { entries })
          const [dry, shown] = await run(team, new Harness(tuned(entries)), `${JOBS}?dryRun=true`, { entries })
          expect(shown.map(each => each.completionStatus)).toEqual(direct.map(each => each.completionStatus))
          const before = await readStates(team)
          const others = interfere(team, planned)
          await others.actBefore()
          const early = new Set(others.touched.keys())
          const harness = new Harness(tuned(entries), { before: others.before })
          const [, applied] = await run(team, harness, `${JOBS}/${dry}/apply`)
          const left = await readStates(team)
          if (others.touched.size === 0) {
            expect(applied.map(each => [each.completionStatus, each.completionResult.code])).toEqual(
              direct.map(each => [each.completionStatus, each.completionResult.code]),
            )
            expect(await byKey(team)).toEqual(await byKey(twin))
            return
          }
          for (const [id, state] of before) {
            if (!early.has(id)) continue
            const note = others.touched.get(id) ?? ''
            // A process that was changed before the job began is as it was left, whatever the dry run had shown.
            const own = applied.filter(
              (each, nth) =>
                each.completionStatus === 'SUCCESS' &&
                findId(each) === id &&
                !!shown[nth]?.completionResult.changes?.length,
            )
            expect(own, JSON.stringify(own)).toEqual([])
            expect(left.get(id)).toEqual(withNote(state, note))
          }
          for (const [id, note] of others.touched)
            if (note !== '' && left.get(id) !== 'deleted' && left.has(id))
              expect((left.get(id) as { data: { note: string } }).data.note).toBe(note)
        },
      ),
      { numRuns: RUNS },
    )
  })
})
