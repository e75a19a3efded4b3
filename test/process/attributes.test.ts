import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newTeam, type Reply, type Team } from '../support/api.ts'
import { JOBS, waitForJob } from '../support/jobs.ts'
import { attribute, newProcedure, type Processes } from '../support/procedures.ts'

const paths = (reply: Reply): string[] => reply.meta.errors.map((each: { path: string }) => each.path)

const ENUMS = {
  stringEnum: ['red', 'green', '007'],
  integerEnum: [1, 2, -3],
  floatEnum: [0.5, 2],
  multiStringEnum: ['a', 'b'],
  multiIntegerEnum: [1, 2],
  multiFloatEnum: [0.5, 1],
}

const place = { latitude: 18.5, longitude: 73.8 }
const text = ['', 'a', 'नमस्ते', 'a\u0001b', '\u2028', '{"a":1}', 'null', "'; DROP TABLE process; --", 'x'.repeat(5000)]
const notText = [1, true, {}, [], 'a\u0000b']

/** The values that each type accepts, as a value or as [sent, stored], and those that it refuses. */
const TYPES: Record<string, { good: unknown[]; bad: unknown[]; stored?: [unknown, unknown][] }> = {
  string: { good: text, bad: notText },
  text: { good: text, bad: notText },
  name: { good: ['Asha Rao', ''], bad: notText },
  // The accepted users are in `user-values.test.ts`.
  user: { good: [], bad: [...notText, '', 'x'.repeat(321)] },
  photo: { good: ['https://x.example/a.jpg'], bad: notText },
  email: { good: ['a@b.co', 'Ü.x+y@sub.example.com'], bad: ['a', 'a@b', '@b.co', 'a b@c.co', '', 7] },
  phone: {
    good: ['919448300001'],
    stored: [
      ['+91 94483-00001', '919448300001'],
      ['(20) 123.456', '20123456'],
    ],
    bad: ['call me', '12', '', 919448300001, '1'.repeat(41)],
  },
  url: {
    good: ['https://x.example/a?b=c#d', 'http://localhost:1'],
    bad: ['x.example', 'ftp://x.example', 'javascript:alert(1)', 'https://', 3],
  },
  integer: {
    good: [0, -1, 9007199254740991, 1e3],
    bad: [1.5, '1.5', 'one', '007', '1e3', '9007199254740993', true, null === undefined, [1], {}, '', ' 1', 1e300],
    stored: [
      ['105', 105],
      ['-7', -7],
      ['3.0', 3],
    ],
  },
  float: {
    good: [0, -1.5, 1e300, 5e-324],
    bad: ['1e3', 'NaN', 'Infinity', true, [], '1,5', '0x10', '++1'],
    stored: [
      ['1.5', 1.5],
      ['+1', 1],
      ['-0.25', -0.25],
    ],
  },
  datetime: {
    good: [0, 1_700_000_000_000, -1, 999_999_999, 10_000_000_000, 63_072_000_000, 86_400_000],
    bad: [
      1_795_362_606,
      '1795362606',
      20_260_331,
      '20260331',
      '2026',
      '0',
      9_999_999_999,
      '2026-03-31',
      '2026-03-31T10:00:00',
      '2026-02-30T10:00:00Z',
      'tomorrow',
      '',
      1.5,
      true,
    ],
    stored: [
      ['1700000000000', 1_700_000_000_000],
      ['63072000000', 63_072_000_000],
      ['1970-02-01T00:00:00Z', 2_678_400_000],
      ['2026-03-31T10:00:00Z', 1_774_951_200_000],
      ['2026-03-31T15:30:00.250+05:30', 1_774_951_200_250],
    ],
  },
  boolean: { good: [true, false], bad: ['true', 0, 1, 'yes', []] },
  date: {
    good: ['2026-02-28', '2024-02-29'],
    bad: [
      20_260_228,
      1_700_000_000_000,
      '2026-02-30',
      '2025-02-29',
      '28.02.2026',
      '2026-2-8',
      '2026-02-28T00:00',
      1.5,
      true,
    ],
  },
  time: {
    good: ['09:30', '23:59:59', '00:00:00.123', 34_200],
    bad: ['24:00', '9:30', '09:60', '09:30:61', 'noon', 1.5],
  },
  datetimeISO8601: {
    good: ['2026-03-31T10:00:00Z', '2026-03-31T10:00:00.123+05:30', '2026-03-31T10:00+0530', '2026-03-31T10:00'],
    bad: ['2026-03-31', '2026-13-31T10:00:00Z', 'tomorrow', 1_700_000_000_000, '2026-03-31T25:00Z'],
  },
  stringEnum: { good: ['red', '007'], bad: ['Red', 'blue', '', 7, ['red']] },
  integerEnum: { good: [1, -3], bad: [4, 1.5, 'one', '4'], stored: [['2', 2]] },
  floatEnum: { good: [0.5, 2], bad: [0.25, 'half'], stored: [['0.5', 0.5]] },
  multiString: { good: [[], ['a', 'a', '']], bad: ['a', [1], [null], [['a']], {}, Array(1001).fill('a')] },
  multiStringEnum: { good: [[], ['b', 'a']], bad: [['c'], 'a', [1]] },
  multiIntegerEnum: {
    good: [[], [2, 1]],
    bad: [[3], 1, ['x']],
    stored: [
      [
        ['1', 2],
        [1, 2],
      ],
    ],
  },
  multiFloatEnum: { good: [[0.5]], bad: [[0.4]], stored: [[['0.5'], [0.5]]] },
  multiPhoto: { good: [['https://x.example/a.jpg']], bad: ['https://x.example/a.jpg', [1]] },
  geolocation: {
    good: [[18.5, 73.8], place, [-90, 180]],
    bad: [[91, 0], [0, 181], [1], [1, 2, 3], '18.5,73.8', { latitude: 1 }, { latitude: '1', longitude: 2 }, {}],
  },
  json: { good: [{}, [], 'text', 0, false, { a: { b: [null, { c: 1 }] } }], bad: [] },
}

describe.each(Object.entries(TYPES))('an attribute of type %s', (type, { good, bad, stored = [] }) => {
  const values = type in ENUMS ? { values: ENUMS[type as keyof typeof ENUMS] } : {}
  const setUp = async () =>
    newProcedure(await newTeam(), { primaryKey: null, attributes: [attribute('a', type, values)] })

  it('keeps what fits exactly as it was sent, except for a lossless numeric string', async () => {
    const { create, update, fetch } = await setUp()
    const { data } = await create()
    for (const [sent, kept] of [...good.map(each => [each, each]), ...stored]) {
      const reply = await update(data.id, { data: { a: sent } })
      const where = `${JSON.stringify(sent)}: ${reply.errors[0]}`
      expect(reply.status, where).toBe(200)
      expect(reply.data.data, where).toEqual({ a: kept })
      expect((await fetch(data.id)).data.data, where).toEqual({ a: kept })
    }
    expect((await update(data.id, { data: { a: null } })).data.data).toEqual({})
  })

  if (bad.length > 0)
    it('refuses what does not fit, by pointer', async () => {
      const { create } = await setUp()
      for (const sent of bad) {
        const reply = await create({ data: { a: sent } })
        expect(reply.status, JSON.stringify(sent)).toBe(400)
        expect(paths(reply), JSON.stringify(sent)).toEqual(['/body/data/a'])
        expect(reply.errors[0]).toContain('"a"')
      }
    })
})

describe('a refused value', () => {
  it.each([
    ['boolean', 'true', 'true'],
    ['datetime', '2026-03-31T00:00:00', '2026-03-31T00:00:00Z'],
    ['string', 7, '"7"'],
  ])('has a hint where the correction is plain, for the type %s', async (type, sent, hint) => {
    const { create } = await newProcedure(await newTeam(), { primaryKey: null, attributes: [attribute('a', type)] })
    const [error] = (await create({ data: { a: sent } })).meta.errors
    expect(error.hint).toBe(hint)
  })

  it('has the nearest allowed one as its hint if it is of an enum', async () => {
    const attributes = [attribute('a', 'stringEnum', { values: ['website', 'referral'] })]
    const { create } = await newProcedure(await newTeam(), { primaryKey: null, attributes })
    const [error] = (await create({ data: { a: 'Webseite' } })).meta.errors
    expect(error).toMatchObject({
      hint: 'did you mean "website"?',
      message: expect.stringContaining('website, referral'),
    })
  })
})

describe('a datetime', () => {
  it('that is refused for seconds or a day is suggested, also in a filter and a table', async () => {
    const team = await newTeam()
    const attributes = [attribute('due', 'datetime')]
    const { path, create } = await newProcedure(team, { primaryKey: null, attributes })
    await create({ data: { due: '2026-03-31T10:00:00Z' } })
    const meant: [unknown, unknown][] = [
      [1_795_362_606, '1795362606000'],
      ['1795362606', '1795362606000'],
      [20_260_331, '2026-03-31T00:00:00Z'],
      ['20260331', '2026-03-31T00:00:00Z'],
      ['2026', undefined],
    ]
    for (const [due, hint] of meant)
      for (const reply of [
        await create({ data: { due } }),
        await team.call('POST', `${path}/list`, { where: { due: { '>': due } } }),
      ])
        expect([reply.status, reply.meta.errors[0].hint], JSON.stringify(due)).toEqual([400, hint])
    const rows = await team.call(
      'POST',
      `${path}/bulk-create`,
      'due\n20260331\n1795362606\n2026\n1970-02-01T00:00Z\n',
      {
        'content-type': 'text/csv',
      },
    )
    const { meta } = await waitForJob(team, rows.data.id)
    expect(meta.bjEntryCompletionStatusVsCount).toMatchObject({ SUCCESS: 1, INVALID: 3 })
  })

  it('of early 1970 that is stored comes back by a revert, an undo and a restore', async () => {
    const team = await newTeam()
    const attributes = [attribute('born', 'datetime', { indexed: true })]
    const { path, create, update, fetch, remove, restore } = await newProcedure(team, { primaryKey: null, attributes })
    const born = { born: 2_678_400_000 }
    const { data } = await create({ data: { born: '1970-02-01T00:00:00Z' } })
    const change = { processes: [{ id: data.id, update: { data: { born: null } } }] }
    const job = await waitForJob(team, (await team.call('PATCH', path, change)).data.id)
    await waitForJob(team, (await team.call('POST', `${JOBS}/${job.data.id}/undo`)).data.id)
    expect((await fetch(data.id)).data.data).toEqual(born)
    await update(data.id, { data: { born: null } })
    expect((await team.call('PUT', `${path}/${data.id}/revert`, { version: 1 })).data.data).toEqual(born)
    await remove(data.id)
    expect((await restore(data.id)).data.data).toEqual(born)
  })

  it('is found by ISO 8601 with an offset as by its number', async () => {
    const team = await newTeam()
    const attributes = [attribute('due', 'datetime')]
    const { path, create } = await newProcedure(team, { primaryKey: null, attributes })
    const { data } = await create({ data: { due: '2026-03-31T10:00:00Z' } })
    const list = (due: unknown) => team.call('POST', `${path}/list`, { where: { due } })
    const found = async (due: unknown) => (await list(due)).data.map(({ id }: { id: string }) => id)
    for (const due of ['2026-03-31T15:30:00+05:30', 1_774_951_200_000, '1774951200000', { '<=': '2026-03-31T10:00Z' }])
      expect(await found(due), JSON.stringify(due)).toEqual([data.id])
    expect(await found({ '>': '2026-03-31T10:00:00Z' })).toEqual([])
    const refused = await list('2026-03-31T10:00:00')
    expect([refused.status, refused.meta.errors[0].hint]).toEqual([400, '2026-03-31T10:00:00Z'])
  })
})

describe('an attribute that is not declared', () => {
  it('is stored as sent, of any JSON type, under any name', async () => {
    const { create, update, fetch } = await newProcedure(await newTeam())
    const odd = JSON.parse(`{
      "": 1, " ": 2, "a.b": 3, "a\\"b": 4, "a'b": 5, "a[0]": 6, "$": 7, "$.x": 8, "a\\\\b": 9, "a\\u0000b": 10, "a\\nb": 11,
      "~": 12, "~0022": 13, "नाम": 14, "😀": 15, "__proto__": {"x": 16}, "constructor": 17, "toString": 18, "?1": 19,
      "%s": 20, "a/b": 21, "id": 22, "status": 23, "null": null, "nested": {"a": {"b": [null, {"c": null}]}},
      "list": [1, "1", true, null, [], {}], "empty": {}, "text": "105", "number": 105, "float": 1.0, "big": 12345678901234567890,
      "tiny": 5e-324, "huge": 1.7976931348623157e308, "minus": -0.0, "yes": true, "no": false,
      "quote": "say \\"hi\\" \\\\ \\u2028 \\uD83D\\uDE00"
    }`)
    const made = await create({ data: odd })
    expect(made.status, made.errors[0]).toBe(201)
    const { null: _, ...kept } = odd
    const expected = JSON.parse(JSON.stringify(kept).replace('"__proto__"', '"__proto__"'))
    expect(JSON.stringify(made.data.data)).toBe(JSON.stringify(expected))
    expect(JSON.stringify((await fetch(made.data.id)).data.data)).toBe(JSON.stringify(expected))
    for (const name of Object.keys(odd)) {
      const sent = JSON.parse(`{${JSON.stringify(name)}: "changed"}`)
      const changed = await update(made.data.id, { data: sent })
      expect(changed.status, name).toBe(200)
      expect(Object.getOwnPropertyDescriptor(changed.data.data, name)?.value, name).toBe('changed')
      const removed = await update(made.data.id, { data: JSON.parse(`{${JSON.stringify(name)}: null}`) })
      expect(Object.hasOwn(removed.data.data, name), name).toBe(false)
    }
    expect((await fetch(made.data.id)).data.data).toEqual({})
  })

  it('is refused by a strict procedure, with the nearest declared one', async () => {
    const { create, update } = await newProcedure(await newTeam(), { strict: true })
    const made = await create({ data: { city: 'Pune' } })
    expect(made.status).toBe(201)
    const refused = await update(made.data.id, { data: { ciity: 'Goa', zzz: 1, constructor: 2 } })
    expect(refused.status).toBe(400)
    expect(paths(refused)).toEqual(['/body/data/ciity', '/body/data/zzz', '/body/data/constructor'])
    expect(refused.meta.errors[0].hint).toBe('did you mean "city"?')
  })

  it.each([
    ['a number too large for JSON to keep', '{"a": 1e400}', '/body/data/a'],
    ['such a number deep inside', '{"a": [{"b": -1e999}]}', '/body/data/a/0/b'],
    ['half a surrogate pair', '{"a": "\\ud800"}', '/body/data/a'],
    ['a NUL character', '{"a": "x\\u0000y"}', '/body/data/a'],
    ['half a pair in a nested name', '{"a": {"\\udc00": 1}}', '/body/data/a'],
    ['half a pair in its own name', '{"\\ud800": 1}', '/body/data/\ud800'],
    ['nesting beyond 64 levels', `{"a": ${'['.repeat(65)}${']'.repeat(65)}}`, '/body/data/a'],
    ['nesting far beyond', `{"a": ${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`, '/body/data/a/a/a'],
    ['a name of 201 characters', `{"${'n'.repeat(201)}": 1}`, `/body/data/${'n'.repeat(201)}`],
  ])('is refused with %s', async (_, data, path) => {
    const { create, path: collection } = await newProcedure(await newTeam())
    expect((await create()).status).toBe(201)
    const reply = await create(`{"data": ${data}}`)
    expect(reply.status, collection).toBe(400)
    expect(paths(reply).map(each => each.toWellFormed())).toEqual([path.toWellFormed()])
  })

  it('is said to have a NUL character in a sentence with its name', async () => {
    const { create } = await newProcedure(await newTeam())
    expect((await create('{"data": {"a": "x\\u0000y"}}')).errors).toEqual(['"a" must have no NUL character in it'])
  })

  it('may be nested 64 levels deep', async () => {
    const { create } = await newProcedure(await newTeam())
    expect((await create(`{"data": {"a": ${'['.repeat(64)}${']'.repeat(64)}}}`)).status).toBe(201)
  })
})

describe('the members of data', () => {
  it.each(['[]', '"text"', '7', 'null', 'true'])('are an object, not %s', async data => {
    const { create } = await newProcedure(await newTeam())
    const reply = await create(`{"data": ${data}}`)
    expect(reply.status).toBe(400)
    expect(paths(reply)).toEqual(['/body/data'])
  })

  it('replace whole values: there is no deep merge, and unnamed ones stay', async () => {
    const { create, update, fetch } = await newProcedure(await newTeam())
    const { data } = await create({ data: { a: { x: 1, y: 2 }, b: [1, 2, 3], c: 'stays' } })
    const updated = await update(data.id, { data: { a: { z: 3 }, b: [] } })
    expect(updated.data.data).toEqual({ a: { z: 3 }, b: [], c: 'stays' })
    expect((await fetch(data.id)).data).toEqual(updated.data)
  })

  it('are at most 500 in a request, and 500 at once are stored, changed and removed', async () => {
    const { create, update } = await newProcedure(await newTeam())
    const many = (count: number, value: unknown) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`attribute number ${index}`, value]))
    const made = await create({ data: many(500, 'v'.repeat(100)) })
    expect(made.status).toBe(201)
    const changed = await update(made.data.id, { data: many(500, { changed: [true] }) })
    expect(changed.status, changed.errors[0]).toBe(200)
    expect(changed.data.data).toEqual(many(500, { changed: [true] }))
    const half = await update(made.data.id, { data: { ...many(500, 1), ...many(250, null) } })
    expect(Object.keys(half.data.data)).toHaveLength(250)
    expect((await update(made.data.id, { data: many(500, null) })).data.data).toEqual({})
    const tooMany = await create({ data: many(501, 1) })
    expect(tooMany.status).toBe(400)
    expect(tooMany.errors[0]).toContain('500')
  })
})

describe('large values', () => {
  const setUp = async (): Promise<Processes & { team: Team }> => {
    const team = await newTeam()
    return { ...(await newProcedure(team)), team }
  }

  it('are stored, fetched and updated up to nearly a megabyte', async () => {
    const { create, fetch, update } = await setUp()
    const essay = 'é'.repeat(240_000)
    const made = await create({ data: { essay, more: 'y'.repeat(300_000) } })
    expect(made.status, made.errors[0]).toBe(201)
    expect((await fetch(made.data.id)).data.data.essay).toBe(essay)
    const updated = await update(made.data.id, { data: { essay: 'short' } })
    expect(updated.data.data.essay).toBe('short')
  })

  it('beyond the limit of a process or a record are refused at once, with the limit', async () => {
    const { create } = await setUp()
    const x = 'x'.repeat(920_000)
    for (const body of [{ data: { x } }, { record: { data: { x } } }]) {
      const reply = await create(body)
      expect(reply.status).toBe(400)
      expect(paths(reply)).toEqual([body.data ? '/body/data' : '/body/record/data'])
      expect(reply.errors[0]).toContain('900000')
    }
  })

  it('are refused where they make a process outgrow a row of the database, and accepted below that', async () => {
    const { create, fetch, update, remove, restore, team, upsert } = await setUp()
    const made = await create({ data: { lead_id: 'A' }, record: { data: { phone: '1', note: 'n'.repeat(300_000) } } })
    let refused: Reply | undefined
    let accepted = 0
    for (let part = 0; part < 8 && !refused; part++) {
      const reply = await update(made.data.id, { data: { [`part${part}`]: 'x'.repeat(300_000) } })
      if (reply.status === 200) accepted++
      else refused = reply
    }
    expect(refused?.status).toBe(413)
    expect(refused?.meta.errors[0]).toMatchObject({ code: 'request_too_large', path: '/body/data' })
    const kept = await fetch(made.data.id)
    expect(Object.keys(kept.data.data)).toHaveLength(accepted + 1)
    const upserted = await upsert({ data: { lead_id: 'A', more: 'x'.repeat(800_000) } })
    expect(upserted.status).toBe(413)
    // A full process can still be shrunk, deleted, restored and answered under an idempotency key.
    expect((await update(made.data.id, { data: { small: 1 } }, { 'idempotency-key': 'k' })).status).toBe(200)
    expect((await remove(made.data.id)).status).toBe(200)
    expect((await restore(made.data.id, { 'idempotency-key': 'r' })).status).toBe(200)
    const { results } = await env.DB.prepare(
      `SELECT length(data) AS bytes FROM process UNION SELECT length(row) FROM process_trash
        UNION SELECT length(data) FROM record WHERE team = ? UNION SELECT coalesce(length(outcome), 0) FROM idempotency`,
    )
      .bind(team.no)
      .all<{ bytes: number }>()
    for (const { bytes } of results) expect(bytes).toBeLessThan(1_950_000)
    expect((await update(made.data.id, { data: { part0: null } })).status).toBe(200)
  })

  it('are refused where they make a record outgrow its row', async () => {
    const { create } = await setUp()
    const replies: Reply[] = []
    for (let part = 0; part < 8; part++)
      replies.push(await create({ record: { data: { phone: '1', [`part${part}`]: 'x'.repeat(300_000) } } }))
    expect(replies[0]?.status).toBe(201)
    const refused = replies.at(-1)
    expect(refused?.status).toBe(413)
    expect(refused?.meta.errors[0]).toMatchObject({ code: 'request_too_large', path: '/body/record/data' })
  })
})
