import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Procedure } from '../../src/client/client.ts'
import { parseCsv } from '../../src/import-file/csv.ts'
import { toItem } from '../../src/import-file/items.ts'
import { fetchWorker, newTeam, type Team } from '../support/api.ts'
import { waitForJob } from '../support/jobs.ts'
import { attribute, newProcedure } from '../support/procedures.ts'

// Whatever processes hold: CSV and lines of JSON have the values of the JSON list, and CSV can be sent back.

const RUNS = 25
const PROCESSES_MAX = 12

const NASTY = [
  '"',
  '""',
  ',',
  '\n',
  '\r\n',
  '\r',
  ' a',
  'a ',
  '=1+1',
  '+1',
  '-1',
  '@x',
  '\t',
  "'",
  '😀',
  'ä',
  '\ufeff',
  ';',
  'null',
  '[1]',
  '{}',
  'true',
  '1e3',
  '007',
  'x'.repeat(10_000),
  '\u2028',
  '~',
  '\\',
  '\u0001',
]
const text = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.array(fc.constantFrom(...NASTY.slice(0, -7)), { maxLength: 4 }).map(parts => parts.join('')),
  fc.string({ unit: 'grapheme', maxLength: 20 }).map(each => each.replaceAll('\0', '')),
)
const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
const json = fc.jsonValue({ maxDepth: 2 }).filter(each => each !== null && !JSON.stringify(each).includes('\\u0000'))

const Data = fc.record(
  {
    text,
    number,
    count: fc.maxSafeInteger(),
    seen: fc.integer({ min: 0, max: 4_000_000_000_000 }),
    flag: fc.boolean(),
    tags: fc.array(text, { maxLength: 3 }),
    json,
    'with,comma': text,
  },
  { requiredKeys: [] },
)
const Sent = fc.record(
  { data: Data, nextActionAt: fc.integer({ min: 1_600_000_000_000, max: 1_900_000_000_000 }) },
  { requiredKeys: ['data'] },
)

const definition = {
  attributes: [
    attribute('key', 'string'),
    attribute('text', 'text'),
    attribute('number', 'float'),
    attribute('count', 'integer'),
    attribute('seen', 'datetime'),
    attribute('flag', 'boolean'),
    attribute('tags', 'multiString'),
    attribute('json', 'json'),
    attribute('with,comma', 'text'),
  ],
  primaryKey: 'key',
}

async function readBytes(team: Team, path: string, accept: string): Promise<string> {
  const response = await fetchWorker(path, { headers: { authorization: `Bearer ${team.token}`, accept } })
  expect(response.status).toBe(200)
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await response.arrayBuffer())
}

async function csvRows(csv: string): Promise<string[][]> {
  async function* chunks() {
    yield* csv.match(/[\s\S]{1,1000}/g) ?? []
  }
  const rows: string[][] = []
  for await (const { cells } of parseCsv(chunks())) rows.push(cells)
  return rows
}

const TIMES = ['createdAt', 'updatedAt', 'nextActionAt', 'completedAt', 'seen']

/** Formats the cell of a value, by the guide. */
function told(name: string, value: unknown): string {
  if (value === null || value === undefined || (name === 'completedAt' && value === 0)) return ''
  if (TIMES.includes(name)) return new Date(Number(value)).toISOString()
  // A document may be a text that looks like another document.
  return typeof value === 'string' && name !== 'json' ? value : JSON.stringify(value)
}

test('CSV and lines of JSON have the values of the JSON list, and a bulk update accepts the CSV back', async () => {
  const team = await newTeam()
  let [run, keys] = [0, 0]
  await fc.assert(
    fc.asyncProperty(fc.array(Sent, { minLength: 1, maxLength: PROCESSES_MAX }), async sent => {
      const shortId = `kind${++run}`
      const { path, create } = await newProcedure(team, definition, shortId)
      for (const each of sent) {
        const made = await create({ ...each, data: { ...each.data, key: `K${++keys}` } })
        expect(made.errors).toEqual([])
      }
      const { data: listed } = await team.call('GET', `${path}?limit=100`)
      const lines = await readBytes(team, `${path}?all=true`, 'application/x-ndjson')
      expect(
        lines
          .split('\n')
          .slice(0, -1)
          .map(line => JSON.parse(line)),
      ).toEqual(listed)

      const [header = [], ...rows] = await csvRows(await readBytes(team, `${path}?all=true`, 'text/csv'))
      const expected = listed.map((one: Record<string, unknown> & { data: Record<string, unknown> }) =>
        header.map(name => told(name, name in one ? one[name] : one.data[name])),
      )
      expect(rows).toEqual(expected)

      const procedure = (await team.call('GET', `/v1/ext/procedure/${shortId}`)).data as Procedure
      const writable = header.map(name => ['status', 'state', 'assignedTo', 'key'].includes(name))
      const items = rows.map(cells =>
        toItem(
          procedure,
          header,
          cells.map((cell, at) => (writable[at] === true ? '' : cell)),
          'update',
        ),
      )
      const accepted = await team.call('PATCH', path, { processes: items })
      const job = await waitForJob(team, accepted.data.id)
      expect(job.meta.bjEntryCompletionStatusVsCount).toMatchObject({ SUCCESS: rows.length })
      const { data: after } = await team.call('GET', `${path}?limit=100`)
      const values = (all: Record<string, unknown>[]) =>
        all.map(({ id, data, nextActionAt }) => ({ id, data, nextActionAt }))
      expect(values(after)).toEqual(values(listed))
    }),
    { numRuns: RUNS },
  )
})
