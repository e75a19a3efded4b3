import { exports } from 'cloudflare:workers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ORIGIN, request, type Team } from '../support/api.ts'
import { JOBS, LEADS, listEntries, newLeadTeam, waitForJob } from '../support/jobs.ts'
import { attribute } from '../support/procedures.ts'

const UPSERT = `${LEADS}/bulk-upsert`
const NOTES = '_status,_error,_hint,_id,_line'

const start = async (): Promise<Team> => {
  const team = await newLeadTeam({
    attributes: [
      attribute('lead_id', 'string'),
      { ...attribute('city', 'string'), name: 'Home town' },
      attribute('score', 'integer'),
      attribute('value', 'float'),
      attribute('price', 'float'),
      attribute('day', 'date'),
      attribute('isHot', 'boolean'),
      attribute('tags', 'multiString'),
      attribute('roof', 'json'),
    ],
  })
  return team
}

async function send(team: Team, table: string, path = UPSERT): Promise<string> {
  const reply = await request(path.startsWith(UPSERT) ? 'POST' : 'PATCH', path, {
    headers: { authorization: `Bearer ${team.token}`, 'content-type': 'text/csv' },
    body: table,
  })
  expect([reply.status, reply.errors]).toEqual([202, []])
  await waitForJob(team, reply.data.id)
  return reply.data.id
}

async function download(team: Team, id: string, query = ''): Promise<string> {
  const response = await exports.default.fetch(`${ORIGIN}${JOBS}/${id}/results${query}`, {
    headers: { authorization: `Bearer ${team.token}`, accept: 'text/csv' },
  })
  return response.text()
}

const splitLines = (text: string): string[] => text.trimEnd().split('\r\n')
const readStatuses = async (team: Team, id: string): Promise<string[]> =>
  (await listEntries(team, id, '?limit=100')).map((each: { completionStatus: string }) => each.completionStatus)

describe('the results of a table', () => {
  it('have a text that looks like JSON quoted so that it stays a text, but not in a row that was not read', async () => {
    const team = await start()
    const id = await send(team, 'lead_id,roof,score\nA,"""5""",1\nB,5,1\nC,flat,1\nD,5,many\nE,"{broken",1\n')
    const text = await download(team, id)
    expect(splitLines(text).map(line => line.split(',').slice(0, 2).join(' '))).toEqual([
      'lead_id roof',
      'A """5"""',
      'B 5',
      'C flat',
      'D 5',
      'E {broken',
    ])
    await send(team, text)
    const roof = async (key: string) => (await team.call('GET', `${LEADS}/lead_id/${key}`)).data.data.roof
    expect([await roof('A'), await roof('B'), await roof('C')]).toEqual(['5', 5, 'flat'])
  })

  it('have the columns of the table, then the outcome of each row and its line', async () => {
    const team = await start()
    const table = [
      'Lead ID;Home town;value;roof;_error',
      'A;Goa;1.234,5;"{""flat"":1}";an old note',
      ';;;;',
      'B;"Pune; ""old""\ntown";2,5;"{broken";',
      'C;Oslo;many;;',
      'D;1;2;3',
      'E;;;;',
    ]
    const id = await send(team, `${table.join('\n')}\n`)
    const [a, , , , e] = await listEntries(team, id)
    const brokenHint = 'names and texts stand in double quotes'
    const text = await download(team, id)
    expect(text.slice(0, text.indexOf('\r\n'))).toBe(`Lead ID;Home town;value;roof;${NOTES.replaceAll(',', ';')}`)
    expect(text).toContain(`A;Goa;"1234,5";"{""flat"":1}";SUCCESS;;;${a.completionResult.id};2\r\n`)
    expect(text).toMatch(
      new RegExp(`B;"Pune; ""old""\\ntown";"2,5";\\{broken;INVALID;"line 4: .*${brokenHint}.*";;;4\\r\\n`),
    )
    expect(text).toMatch(/C;Oslo;many;;INVALID;"""value"" must be a number, not ""many""";.*;;6\r\n/)
    expect(text).toContain(';;;;INVALID;"line 7: the row has 4 cells, and the header 5";"D;1;2;3";;7\r\n')
    expect(text).toContain(`E;;;;SUCCESS;;;${e.completionResult.id};8\r\n`)
    // Sent back as it is: what had succeeded changes nothing, and what was wrong is as wrong as before.
    expect(await readStatuses(team, await send(team, text))).toEqual([
      'SUCCESS',
      'INVALID',
      'INVALID',
      'INVALID',
      'SUCCESS',
    ])
  })

  it('can be corrected and sent back, only the rows that failed', async () => {
    const team = await start()
    const first = await send(team, 'lead_id,score,day\nA,1,31.12.2026\nB,many,01.01.2027\nC,3,02.01.2027\n')
    const failed = await download(team, first, '?completionStatus=INVALID')
    expect(splitLines(failed)).toHaveLength(2)
    const again = await send(team, failed.replace('many', '2'))
    expect(splitLines(await download(team, again))[1]).toMatch(/^B,2,01\.01\.2027,SUCCESS,,,.{36},2$/)
    expect((await team.call('GET', `${LEADS}/lead_id/B`)).data.data).toEqual({
      lead_id: 'B',
      score: 2,
      day: '2027-01-01',
    })
  })

  it('have each number in a form that is read as the same number, alone as well', async () => {
    const team = await start()
    const cells = ['1.234,5', '12,500', '1,234', '-0,5', '1.000.000', '1,50', '0,00000015', '31,12 €', '7']
    const written = ['1234,5', '12,5', '1,2340', '-0,5', '1000000', '1,5', '1.5e-7', '31,12 €', '7']
    const rows = cells.map((cell, nth) => `L${nth};${cell}\n`)
    for (const query of ['', '&decimal=comma', '&delimiter=%3B']) {
      const path = `${UPSERT}?dryRun=true${query}`
      const read = async (table: string) => splitLines(await download(team, await send(team, table, path)))
      const getCells = (lines: string[]) => lines.slice(1).map(line => line.split(';')[1]?.replaceAll('"', ''))
      const lines = await read(`lead_id;value\n${rows.join('')}`)
      expect(getCells(lines)).toEqual(written)
      for (const nth of [1, 2, 6])
        expect(getCells(await read(`${lines[0]}\n${lines[nth + 1]}\n`))).toEqual([written[nth]])
    }
  })

  it('have a number that could not be read as it was sent, and it is asked about again', async () => {
    const team = await start()
    const rows = Array.from({ length: 1_000 }, (_, nth) => `L${nth};1,5;7\n`)
    const table = `lead_id;value;price\n${rows.join('')}X;1.500;12,500\n`
    const id = await send(team, table, `${UPSERT}?dryRun=true`)
    const failed = await download(team, id, '?completionStatus=INVALID')
    expect(splitLines(failed)[1]).toMatch(/^X;1\.500;"12,5";INVALID;/)
    const reply = await request('POST', UPSERT, {
      headers: { authorization: `Bearer ${team.token}`, 'content-type': 'text/csv' },
      body: failed,
    })
    expect(reply.errors).toEqual([expect.stringContaining('the column "value" has "1.500"')])
  })

  it.each([
    [
      '\ufefflead_id;day;score\nA;31.12.2026;1\nB;03/04/2026;x\n',
      '\ufeff',
      ';',
      ['31.12.2026', '03.04.2026'],
      '2026-04-03',
    ],
    ['lead_id,day,score\nA,12/31/2026,1\nB,03/04/2026,x\n', '', ',', ['12/31/2026', '2026-03-04'], '2026-03-04'],
  ])('have the days in the order of the table, each clear alone, and its byte order mark', async (...given) => {
    const [table, mark, separator, days, stored] = given
    const team = await start()
    const id = await send(team, table)
    const response = await exports.default.fetch(`${ORIGIN}${JOBS}/${id}/results`, {
      headers: { authorization: `Bearer ${team.token}`, accept: 'text/csv' },
    })
    const text = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(await response.arrayBuffer())
    expect(text.startsWith('\ufeff') ? '\ufeff' : '').toBe(mark)
    const [, ...lines] = splitLines(text)
    expect(lines.map(line => line.split(separator)[1])).toEqual(days)
    const mended = await download(team, id, '?completionStatus=INVALID')
    await send(team, mended.replace(`${separator}x${separator}`, `${separator}7${separator}`))
    const loadDay = async (key: string) => (await team.call('GET', `${LEADS}/lead_id/${key}`)).data.data.day
    expect([await loadDay('A'), await loadDay('B')]).toEqual(['2026-12-31', stored])
  })

  it('have a semicolon between cells beside decimal commas, unless another separator was requested', async () => {
    const team = await start()
    const table = 'lead_id,value,score\nA,"2,5",\nB,"1.234,5",x\n'
    const getHead = async (query: string) =>
      splitLines(await download(team, await send(team, table, UPSERT + query)))[0]
    expect(await getHead('')).toMatch(/^lead_id;value;score;_status/)
    expect(await getHead('?delimiter=,')).toMatch(/^lead_id,value,score,_status/)
  })

  it('have empty columns for a row that could not be parsed, and that row makes no new process', async () => {
    const team = await start()
    const create = async (table: string) => {
      const { data } = await request('POST', `${LEADS}/bulk-create`, {
        headers: { authorization: `Bearer ${team.token}`, 'content-type': 'text/csv' },
        body: table,
      })
      await waitForJob(team, data.id)
      return data.id
    }
    const text = await download(team, await create('city,score\nGoa,1,2\n'))
    const again = await create(text)
    expect((await listEntries(team, again))[0].completionMessage).toBe('line 2: there is nothing in its columns')
    expect((await team.call('GET', LEADS)).data).toEqual([])
  })

  it('are the same columns for its retries, its dry run and the job that applies it', async () => {
    const team = await start()
    await send(team, 'lead_id,score\nA,1\n')
    const dry = await send(team, 'lead_id,Home town\nA,Goa\nZ,Oslo\n', `${LEADS}?dryRun=true`)
    expect(splitLines(await download(team, dry)).map(line => line.split(',').slice(0, 3))).toEqual([
      ['lead_id', 'Home town', '_status'],
      ['A', 'Goa', 'SUCCESS'],
      ['Z', 'Oslo', 'ERROR'],
    ])
    const applied = (await team.call('POST', `${JOBS}/${dry}/apply`)).data.id
    await waitForJob(team, applied)
    expect(splitLines(await download(team, applied))[2]).toMatch(/^Z,Oslo,ERROR,process Z not found,.*,3$/)
    const retried = (
      await team.call('POST', `${JOBS}/${applied}/retry`, { update: { data: { score: 7, city: 'Rom' } } })
    ).data.id
    await waitForJob(team, retried)
    const [head, row] = splitLines(await download(team, retried))
    expect(head).toBe(`lead_id,Home town,score,${NOTES}`)
    expect(row).toMatch(/^Z,Rom,7,ERROR,process Z not found,.*,3$/)
    const undone = (await team.call('POST', `${JOBS}/${applied}/undo`)).data.id
    await waitForJob(team, undone)
    expect(splitLines(await download(team, undone))[0]).toBe(
      `apiData,${NOTES},_event,_at,_user,_apiKey,_job,_before,_overwritten`,
    )
  })
})

describe('the results of a list', () => {
  it('have a column for each member of its items, in the order of their appearance', async () => {
    const team = await start()
    const { data } = await team.call('POST', `${LEADS}/bulk-create`, [
      { lead_id: 'A', data: { city: 'Goa', tags: ['a', 'b; c'] }, state: 'NEW' },
      { lead_id: 'B', data: { score: 'many', tags: ['a', 'b'] }, record: { data: { phone_number: '919448300046' } } },
    ])
    await waitForJob(team, data.id)
    const [head, a, b] = splitLines(await download(team, data.id))
    expect(head).toBe(`city,tags,lead_id,state,score,record.phone_number,${NOTES}`)
    expect(a).toMatch(/^Goa,"\[""a"",""b; c""\]",A,NEW,,,SUCCESS,,,.{36},$/)
    expect(b).toMatch(/^,"\[""a"",""b""\]",B,,many,919448300046,INVALID,/)
    const where = await team.call('PATCH', LEADS, { where: { lead_id: 'A' }, update: { isDeleted: true } })
    await waitForJob(team, where.data.id)
    expect(splitLines(await download(team, where.data.id))).toEqual([
      `id,isDeleted,${NOTES}`,
      expect.stringMatching(/^(.{36}),true,SUCCESS,,,\1,$/),
    ])
  })

  it('have a text of a retry that looks like JSON quoted so that it stays a text', async () => {
    const team = await start()
    const first = await send(team, 'lead_id,score\nA,many\n')
    const body = { statuses: ['INVALID'], update: { data: { score: 5, roof: '5' } } }
    const retry = await team.call('POST', `${JOBS}/${first}/retry`, body)
    await waitForJob(team, retry.data.id)
    const text = await download(team, retry.data.id)
    expect(splitLines(text)[1]).toMatch(/^A,5,"""5""",SUCCESS,/)
    const [before] = (await team.call('GET', LEADS)).data
    await send(team, text)
    expect((await team.call('GET', LEADS)).data).toMatchObject([{ data: before.data }])
  })

  it('have the requested values as JSON where the request was no table', async () => {
    const team = await start()
    const entry = { apiType: 'PROCESS_DELETE', apiData: { procedureId: 'lead', processId: 'A' } }
    const { data } = await team.call('POST', JOBS, { entries: [entry] })
    await waitForJob(team, data.id)
    const [head, row] = splitLines(await download(team, data.id))
    expect(head).toBe(`apiData,${NOTES}`)
    expect(row).toMatch(/^"\{""procedureId"":""lead"",""processId"":""A""\}",ERROR,process A not found/)
  })
})

it('results of successful rows that are sent back unchanged change nothing, whatever their values', async () => {
  const word = fc.stringMatching(/^[a-zA-Z;,"\n.äü\u{1F6B2}-]{1,6}$/u).filter(text => text.trim() === text)
  const cell = fc.oneof(word, fc.constantFrom('1.5', '7', 'TRUE', '007'))
  const row = fc.record(
    {
      city: cell,
      score: fc.integer().map(String),
      value: fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }).map(number => String(number)),
      day: fc.constantFrom('2026-12-31', '31.12.2026', '1.2.2027'),
      isHot: fc.constantFrom('true', 'FALSE'),
      tags: fc.oneof(
        fc.array(word, { minLength: 1, maxLength: 3 }).map(list => JSON.stringify(list)),
        fc.constant('a; b'),
      ),
      roof: fc.oneof(
        fc.constantFrom('flat', '[1, {"a": null}]', '7'),
        fc.json({ maxDepth: 2 }).filter(text => /^[[{]/.test(text)),
      ),
    },
    { requiredKeys: [] },
  )
  const names = ['city', 'score', 'value', 'day', 'isHot', 'tags', 'roof'] as const
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 6 }), async rows => {
      const team = await start()
      const quoted = (text = '') => `"${text.replaceAll('"', '""')}"`
      const lines = rows.map((each, nth) => [`L${nth}`, ...names.map(name => quoted(each[name]))].join(','))
      const first = await send(
        team,
        `lead_id,${names.join(',')}\n${lines.join('\n')}\n`,
        `${UPSERT}?decimal=point&dates=dmy`,
      )
      const done = await download(team, first, '?completionStatus=SUCCESS')
      if (splitLines(done).length === 1) return
      const stored = async () =>
        (await team.call('GET', LEADS)).data.map(({ data }: { data: object }) => JSON.stringify(data))
      const before = await stored()
      const again = await send(team, done, `${UPSERT}?decimal=point&dates=dmy`)
      expect(new Set(await readStatuses(team, again)), done).toEqual(new Set(['SUCCESS']))
      expect(await stored(), done).toEqual(before)
    }),
    { numRuns: 8 },
  )
})
