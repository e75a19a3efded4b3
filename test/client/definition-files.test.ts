import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Caseworker, CaseworkerError, type ProcedureDryRun } from '../../src/client/client.ts'
import type { ParsedArguments } from '../../src/client/command-line/command/command.ts'
import { toExitCode, UnaskedError } from '../../src/client/command-line/command/command.ts'
import {
  formatPlan,
  formatSummary,
  toDefinition,
  toInvalidPlan,
  toPlan,
} from '../../src/client/command-line/definition-plan.ts'
import { proceduresCommand } from '../../src/client/command-line/procedures.ts'
import { newTeam, type Team } from '../support/api.ts'
import { createClient } from '../support/client.ts'
import { attribute, newProcedure, processesAt } from '../support/procedures.ts'

const NOTHING: ProcedureDryRun = {
  isNew: false,
  isAllowed: true,
  changes: [],
  refusals: [],
  indexes: [],
  search: null,
  values: [],
  processes: { count: 0, isMore: false, sampled: 0 },
}
const field = (name: string, from: unknown, to: unknown) => ({ field: name, from, to })

describe('the plan of a definition', () => {
  it('says that a definition is unchanged if it is as saved, although an index is still built', () => {
    const plan = toPlan('lead', { ...NOTHING, indexes: [{ attribute: 'city', change: 'build' }] })
    expect([plan.outcome, formatPlan(plan)]).toEqual(['unchanged', 'lead: unchanged\n'])
  })

  it('lists all parts of a new definition', () => {
    const plan = toPlan('visit', {
      ...NOTHING,
      isNew: true,
      changes: [
        { subject: 'procedure', shortId: 'visit', change: 'added', fields: [field('name', null, 'Visit')] },
        { subject: 'state', shortId: 'NEW', change: 'added', fields: [field('name', null, 'NEW')] },
        {
          subject: 'attribute',
          shortId: 'day',
          change: 'added',
          fields: [field('name', null, 'Day'), field('type', null, 'date'), field('required', null, true)],
        },
      ],
    })
    expect(formatPlan(plan)).toBe(`visit: new
  + procedure visit: name "Visit"
  + state NEW
  + attribute day: name "Day", type "date", required true
`)
  })

  it('lists what is added, changed and removed, and what the server does for it', () => {
    const plan = toPlan('lead', {
      ...NOTHING,
      changes: [
        {
          subject: 'procedure',
          shortId: 'lead',
          change: 'changed',
          fields: [field('phoneAttribute', null, 'mobile'), field('states', ['A', 'B'], ['B', 'A'])],
        },
        { subject: 'state', shortId: 'A', change: 'changed', fields: [field('next', null, ['B'])] },
        {
          subject: 'attribute',
          shortId: 'city',
          change: 'changed',
          fields: [field('values', ['Oslo', 'Pune'], ['Pune', 'Lima']), field('indexed', false, true)],
        },
        { subject: 'attribute', shortId: 'old', change: 'removed', fields: [field('type', 'string', null)] },
      ],
      processes: { count: 100_000, isMore: true, sampled: 500 },
      indexes: [
        { attribute: 'city', change: 'build' },
        { attribute: 'old', change: 'remove' },
      ],
      search: { change: 'build', attributes: ['name', 'city'] },
      values: [
        {
          attribute: 'city',
          isDeclared: true,
          stored: 400,
          unfit: 7,
          preventIndex: 2,
          examples: [{ process: 'some-id', message: 'must be one of Pune, Lima' }],
        },
        { attribute: 'old', isDeclared: false, stored: 3, unfit: 0, preventIndex: 0, examples: [] },
        { attribute: 'fine', isDeclared: true, stored: 3, unfit: 0, preventIndex: 0, examples: [] },
      ],
    })
    expect(formatPlan(plan)).toBe(`lead: changed
  ~ procedure lead: phoneAttribute none → "mobile"; order of states: "B", "A"
  ~ state A: next none → ["B"]
  ~ attribute city: values + "Lima", - "Oslo"; indexed false → true
  - attribute old
  index of city: built over more than 100,000 processes
  index of old: removed; filters by it are slower
  words of name, city: indexed over more than 100,000 processes; search is refused until that is done
  ! city: the values of 7 of the newest 500 processes do not fit, such as some-id: must be one of Pune, Lima
  ! city: the values of 2 of the newest 500 processes prevent its index
  ! old: 3 of the newest 500 processes have a value, which stays stored
`)
  })

  it('says why a definition would be refused, also if it is wrong in itself', () => {
    const refusal = { code: 'definition_in_use' as const, message: '3 processes are in A', path: '/body/states' }
    const inUse = toPlan('lead', { ...NOTHING, isAllowed: false, refusals: [{ ...refusal, processes: 3 }] })
    expect(formatPlan(inUse)).toBe(
      'lead: refused\n  ✗ refused: /body/states: 3 processes are in A [definition_in_use]\n',
    )
    const errors = [{ code: 'invalid_request' as const, message: 'no', path: '/body/name', hint: 'leave it out' }]
    const invalid = toInvalidPlan('visit', { errors })
    expect(formatPlan(invalid)).toBe('visit: refused\n  ✗ refused: /body/name: no (leave it out)\n')
    expect(formatSummary([inUse, toPlan('a', NOTHING), invalid])).toBe('1 unchanged, 2 refused')
  })
})

describe('procedures as files', () => {
  let folder: string
  let staging: Team
  let production: Team
  let output = ''

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'definitions-'))
    ;[staging, production] = [await newTeam(), await newTeam()]
    output = ''
    vi.spyOn(process.stdout, 'write').mockImplementation(text => {
      output += text
      return true
    })
    vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })

  async function procedures(client: Caseworker, words: string[], options: ParsedArguments['options'] = {}) {
    const { run } = proceduresCommand
    if (!('remote' in run)) throw new Error('the command needs a session')
    output = ''
    const connection = { url: '', token: '', profile: undefined }
    const session = { client, connection, signal: new AbortController().signal }
    return (await run.remote(session, { words, options })) ?? 0
  }
  const at = (team: Team, words: string[], options?: ParsedArguments['options']) =>
    procedures(createClient(team), words, options)
  const saved = async (team: Team, shortId: string) => toDefinition(await createClient(team).procedures.get(shortId))
  const write = (name: string, text: string) => writeFile(path.join(folder, name), text)

  it('leave out what differs between teams or changes by itself', async () => {
    await newProcedure(staging, {
      attributes: [attribute('lead_id', 'string'), attribute('city', 'string', { indexed: true, searchable: true })],
    })
    await newProcedure(staging, {}, 'ticket')
    const inner = path.join(folder, 'new', 'inner')
    expect(await at(staging, ['pull', inner])).toBe(0)
    expect((await readdir(inner)).sort()).toEqual(['lead.json', 'ticket.json'])
    const text = await readFile(path.join(inner, 'lead.json'), 'utf8')
    expect(text).toBe(`${JSON.stringify(await saved(staging, 'lead'), null, 2)}\n`)
    expect(text).not.toMatch(/"(id|createdAt|updatedAt|indexReady|searchReady)"/)
  })

  it('are the same in another team after they were put there, and then no change is left', async () => {
    await newProcedure(staging, { strict: true })
    await newProcedure(staging, {}, 'ticket')
    await newProcedure(production, { name: 'Before' })
    await at(staging, ['pull', folder])
    expect(await at(production, ['push', folder], { 'dry-run': true })).toBe(0)
    expect(output).toContain('lead: changed\n  ~ procedure lead: name "Before" → "Lead"; strict false → true\n')
    expect(output).toContain('ticket: new\n  + procedure ticket: ')
    expect((await saved(production, 'lead')).name).toBe('Before')
    await expect(at(production, ['push', folder])).rejects.toThrow(UnaskedError)
    expect((await saved(production, 'lead')).name).toBe('Before')

    expect(await at(production, ['push', folder], { yes: true })).toBe(0)
    for (const shortId of ['lead', 'ticket'])
      expect(await saved(production, shortId)).toEqual(await saved(staging, shortId))
    const { updatedAt } = await createClient(production).procedures.get('lead')
    expect(await at(production, ['push', folder], { yes: true })).toBe(0)
    expect(output).toBe('lead: unchanged\nticket: unchanged\n')
    expect((await createClient(production).procedures.get('lead')).updatedAt).toBe(updatedAt)
  })

  it('are all left alone if one of them would be refused, by stored values or by itself', async () => {
    await newProcedure(production)
    await processesAt(production, 'lead').create({ data: { lead_id: 'L1' }, state: 'BUSY' })
    await newProcedure(staging, { states: [{ shortId: 'NEW' }, { shortId: 'WON' }] })
    await newProcedure(staging, {}, 'a-ticket')
    await at(staging, ['pull', folder])
    await write('wrong.json', '{"name": "Wrong"}')
    expect(await at(production, ['push', folder], { yes: true })).toBe(3)
    expect(output).toMatch(/^a-ticket: new$/m)
    expect(output).toMatch(/^lead: refused\n {2}- state BUSY\n {2}✗ refused: .*1 process.*\[definition_in_use\]$/m)
    expect(output).toMatch(/^wrong: refused\n {2}✗ refused: \/body\/states: /m)
    const made = (await createClient(production).procedures.list()).map(({ shortId }) => shortId)
    expect(made).toEqual(['lead'])
    expect((await saved(production, 'lead')).states).toHaveLength(3)
  })

  it('do not overwrite what somebody else has changed after the plan was made', async () => {
    await newProcedure(production)
    await newProcedure(staging, { name: 'Ours' })
    await at(staging, ['pull', folder])
    let isTheirs = false
    const client = createClient(production)
    const put: Caseworker['procedures']['put'] = async (shortId, body, options) => {
      if (!isTheirs) await client.procedures.put(shortId, { ...body, name: 'Theirs' })
      isTheirs = true
      return client.procedures.put(shortId, body, options)
    }
    const behind = { ...client, procedures: { ...client.procedures, put } }
    const refused = await procedures(behind, ['push', folder], { yes: true }).catch(error => error)
    expect(refused).toBeInstanceOf(CaseworkerError)
    expect([refused.code, toExitCode(refused)]).toEqual(['precondition_failed', 3])
    expect((await saved(production, 'lead')).name).toBe('Theirs')
  })

  it('may be one file, named after its procedure', async () => {
    await newProcedure(staging)
    await newProcedure(staging, {}, 'ticket')
    await at(staging, ['pull', folder])
    expect(await at(production, ['push', path.join(folder, 'ticket.json')], { yes: true })).toBe(0)
    expect((await createClient(production).procedures.list()).map(({ shortId }) => shortId)).toEqual(['ticket'])
  })

  it('are refused before anything is sent where the command line or a file is wrong', async () => {
    await expect(at(production, ['push', folder])).rejects.toThrow('there is no .json file in')
    await write('lead.json', '{"name": }')
    await expect(at(production, ['push', folder])).rejects.toThrow('lead.json is not a JSON object: line 1, column 10')
    await write('lead.txt', '{}')
    await expect(at(production, ['push', path.join(folder, 'lead.txt')])).rejects.toThrow('must be called after')
    await expect(at(production, ['pull'])).rejects.toThrow('procedures pull needs the folder')
    await expect(at(production, ['push', folder], { 'if-match': '"1-1"' })).rejects.toThrow('--if-match is for one')
    await expect(at(production, ['lead', folder])).rejects.toThrow('only with pull and push')
  })

  it('are printed as rows for programs', async () => {
    await newProcedure(staging)
    await at(staging, ['pull', folder])
    const columns = 'procedure,outcome'
    await at(production, ['push', folder], { 'dry-run': true, format: 'ndjson', columns })
    expect(output).toBe('{"procedure":"lead","outcome":"new"}\n')
  })

  it('show the same plan where one is put', async () => {
    await newProcedure(production, { name: 'Before' })
    await newProcedure(staging)
    await at(staging, ['pull', folder])
    const put = { put: path.join(folder, 'lead.json'), 'dry-run': true }
    expect(await at(production, ['lead'], put)).toBe(0)
    expect(output).toBe('lead: changed\n  ~ procedure lead: name "Before" → "Lead"\n')
    await at(production, ['lead'], { ...put, format: 'json' })
    expect(JSON.parse(output)).toMatchObject({ isNew: false, isAllowed: true })
    await processesAt(production, 'lead').create({ data: { lead_id: 'L1' }, state: 'BUSY' })
    await newProcedure(staging, { states: [{ shortId: 'NEW' }, { shortId: 'WON' }] }, 'short')
    await at(staging, ['pull', folder])
    expect(await at(production, ['lead'], { ...put, put: path.join(folder, 'short.json') })).toBe(3)
    expect(output).toContain('lead: refused\n')
  })
})
