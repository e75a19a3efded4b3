import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ERASE_AFTER_MS } from '../../src/team/erase.ts'
import { WALKED_TABLES } from '../../src/team/tables.ts'
import { HOUR_MS } from '../../src/time-units.ts'
import { newTeam, request, type Team } from '../support/api.ts'
import { databaseThrough } from '../support/broken-bindings.ts'
import { startSession } from '../support/browser-session.ts'
import { Harness } from '../support/harness.ts'
import { JOBS, leadProcedure, newLeadTeam } from '../support/jobs.ts'
import { loadLoggedEvents } from '../support/logged-events.ts'
import { makeLoggedRequest } from '../support/logged-request.ts'
import { moveLog, objectKeys } from '../support/moved-log.ts'
import { erase, exportLines, OPERATOR_TOKEN, operate, operateJson } from '../support/operator.ts'
import { attribute } from '../support/procedures.ts'
import { connectPlugin, newNumber, refusedNumber } from '../support/provider.ts'

const indexed = (name: string) => attribute(name, 'string', { indexed: true })
const LEADS = '/v1/ext/procedure/lead/process'
const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())
const pass = (ms: number) => vi.setSystemTime(Date.now() + ms)

/** A team that has something in every table, and in both buckets. */
async function fullTeam(): Promise<{ team: Team; routes: string[] }> {
  const team = await newTeam()
  const tags = attribute('tags', 'multiFloatEnum', { indexed: true, values: [0.1 + 0.2, 1e300, 2] })
  const [precise, huge] = ['precise', 'huge'].map(name => attribute(name, 'float', { indexed: true }))
  await leadProcedure(team, { attributes: [attribute('lead_id', 'string'), indexed('city'), tags, precise, huge] })
  const whatsapp = await connectPlugin(team)
  const form = new FormData()
  form.set('file', new File([PNG], 'a.png'))
  const headers = { authorization: `Bearer ${team.token}` }
  const media = await request('POST', `${whatsapp.base}/upload-public-media`, { body: form, headers })
  const phone = newNumber()
  const long = 'ü"\\\n'.repeat(2_000)
  const data = {
    lead_id: '007',
    score: 1,
    phone_number: phone,
    city: 'Oslo',
    tags: [0.1 + 0.2, 1e300, 2],
    precise: 0.1 + 0.2,
    huge: 1e300,
    note: long,
    undeclared: { list: [1e21, 0.1, null] },
  }
  const made = await team.call(
    'POST',
    LEADS,
    { data, record: { data: { phone, name: 'Asha Rao' } } },
    { 'idempotency-key': 'one' },
  )
  expect(made.errors).toEqual([])
  const other = await team.call('POST', LEADS, { data: { lead_id: '7' } })
  await team.call('DELETE', `${LEADS}/${other.data.id}`)
  await team.call('POST', '/v1/ext/user', { username: 'asha', role: 'agent' })
  await moveLog(team)
  const sent = await whatsapp.send(phone)
  // One customer asked not to be written to.
  await whatsapp.send(refusedNumber(131050))
  const harness = new Harness()
  const processes = Array.from({ length: 900 }, (_, n) => ({ data: { lead_id: `B${n}` } }))
  const archived = (await harness.request(team, 'POST', `${LEADS}/bulk-create`, { processes })).body._data
  await harness.settle(team)
  pass(2 * HOUR_MS)
  await harness.runCron()
  const processUpdate = { data: { score: 2 } }
  const apiData = { procedureId: 'lead', processId: made.data.id, processUpdate }
  const entries = [{ apiType: 'PROCESS_UPDATE', apiData }]
  const job = (await harness.request(team, 'POST', JOBS, { entries })).body._data
  await harness.settle(team)
  // One customer is being erased.
  await env.DB.prepare(
    "INSERT INTO record_erasure (record, erasure, id, team, by, phones, before) VALUES (?1 * 7, ?1 * 7, 'x', ?1, '{}', '[]', 0)",
  )
    .bind(team.no)
    .run()
  // One customer's processes are being moved to another.
  await env.DB.prepare(
    "INSERT INTO record_move (record, to_record, team, by, messages) VALUES (?1 * 7 + 1, ?1 * 7 + 2, ?1, '{}', 0)",
  )
    .bind(team.no)
    .run()
  await env.DB.prepare(
    "INSERT INTO erasure_sweep (id, team, at, names, last_job) VALUES ('sweep' || ?1, ?1, 0, '[]', 0)",
  )
    .bind(team.no)
    .run()
  await env.DB.prepare('INSERT INTO erased_process (erasure, process, team, proc) VALUES (?1 * 7, 1, ?1, 1)')
    .bind(team.no)
    .run()
  await env.DB.prepare("INSERT INTO erased_identity VALUES (?1, 'hash', 1)").bind(team.no).run()
  // A dry run that has not ended.
  await env.DB.prepare("INSERT INTO dry_run_process VALUES (?1, ?1 * 7, 1, 'key', jsonb('{}'))").bind(team.no).run()
  await insertWebhook(team)
  await harness.request(team, 'POST', '/v1/ext/saved-view', { name: 'Open', procedure: 'lead' })
  await startSession(team)
  await makeLoggedRequest(team)
  await insertPasskey(team)
  const routes = [
    ...[
      '/v1/ext/config',
      '/v1/ext/procedure',
      '/v1/ext/users',
      '/v1/ext/api-key',
      '/v1/ext/plugin',
      JOBS,
      '/v1/ext/saved-view',
      '/v1/ext/request',
    ],
    ...[`${LEADS}/${made.data.id}/history`, `${LEADS}/${made.data.id}?asOf=1`],
    ...[`${LEADS}/${made.data.id}`, `${LEADS}/lead_id/007`, `${LEADS}/lead_id/B899`, `${LEADS}?limit=100`],
    ...[archived.id, job.id].flatMap(id => [`${JOBS}/${id}`, `${JOBS}/${id}/entries?limit=100`]),
    ...[`/v1/ext/message/${sent.data.id}`, `/v1/ext/message?phoneNumber=${phone}`, `${whatsapp.base}/templates`],
    ...[new URL(media.data.publicMediaUrl).pathname],
    ...[{ precise: 0.1 + 0.2 }, { huge: 1e300 }].map(
      where => `${LEADS}/count?where=${encodeURIComponent(JSON.stringify(where))}`,
    ),
  ]
  return { team, routes }
}

const insertPasskey = ({ no, admin }: Team) =>
  env.DB.prepare(
    "INSERT INTO passkey VALUES ('k' || ?1, ?1, ?2, 'Laptop', 'c' || ?1, 'key', 1, '[\"internal\"]', 1, 1, NULL, 'h' || ?1)",
  )
    .bind(no, admin)
    .run()

/** An endpoint in the middle of its deliveries. */
async function insertWebhook({ no }: Team): Promise<void> {
  const first = no * 4096 + 1
  const statements = [
    "INSERT INTO webhook (no, id, team, url, secret, created_at, updated_at) VALUES (?2, 'w' || ?2, ?1, 'https://a', '', 0, 0)",
    'INSERT INTO webhook_progress (webhook, team, position) VALUES (?2, ?1, 1)',
    "INSERT INTO webhook_replay (team, webhook, id, position, last, created_at) VALUES (?1, ?2, 'r', 0, 1, 0)",
    "INSERT INTO webhook_delivery VALUES (?1, ?2, 1, 0, 1, 0, jsonb('[]'))",
  ]
  await env.DB.batch(statements.map(text => env.DB.prepare(text).bind(no, first)))
}

async function loadAnswers(team: Team, routes: string[]): Promise<string[]> {
  const answers: string[] = []
  for (const route of routes) {
    if (route.startsWith('/media/')) continue
    const { status, data } = await team.call('GET', route)
    answers.push(`${route} ${status} ${JSON.stringify(data)}`)
  }
  return answers
}

/** Counts the rows of each table with the number of a team, and its objects. */
async function countLeft({ no, id }: Team): Promise<Record<string, number>> {
  const counted = WALKED_TABLES.map(({ name }) =>
    env.DB.prepare(`SELECT count(*) AS n FROM ${name} WHERE ${name === 'team' ? 'no' : 'team'} = ?`).bind(no),
  )
  const rows = (await env.DB.batch<{ n: number }>(counted)).map(({ results }) => results[0]?.n ?? 0)
  const counts: Record<string, number> = Object.fromEntries(
    WALKED_TABLES.map(({ name }, nth) => [name, rows[nth] ?? 0]),
  )
  counts.MEDIA = (await env.MEDIA.list({ prefix: `${id}/` })).objects.length
  counts.ARCHIVE = (await env.ARCHIVE.list({ prefix: `jobs/${id}/` })).objects.length
  counts.log = (await objectKeys({ id })).length
  return counts
}

const nothing = (counts: Record<string, number>) => Object.fromEntries(Object.keys(counts).map(name => [name, 0]))

async function eraseWhole(team: Team): Promise<void> {
  const { data } = await operateJson('POST', `/team/${team.id}/erase`)
  expect(data).toMatchObject({ done: false, waitMs: expect.any(Number) })
  pass(ERASE_AFTER_MS)
  await erase(team.id)
}

describe('a team', () => {
  it('gives the same responses after it was exported, erased and imported; another team is untouched', async () => {
    const other = await fullTeam()
    const { team, routes } = await fullTeam()
    const before = await countLeft(team)
    expect(Object.entries(before).filter(([name, count]) => count === 0 && name !== 'chunk_removal')).toEqual([])
    const answers = await loadAnswers(team, routes)
    expect(answers.filter(each => !/ 200 /.test(each))).toEqual([])
    const [othersCounts, othersAnswers] = [await countLeft(other.team), await loadAnswers(other.team, other.routes)]

    const lines = await exportLines(team.id)
    const { names } = (await operateJson('GET', `/team/${team.id}/objects`)).data as { names: string[] }
    const objects: [string, ArrayBuffer][] = []
    const at = (name: string) => `/team/${team.id}/object?name=${encodeURIComponent(name)}`
    let page = names
    while (page.length > 0) {
      for (const name of page) objects.push([name, await (await operate('GET', at(name))).arrayBuffer()])
      const after = encodeURIComponent(page.at(-1) ?? '')
      page = (await operateJson('GET', `/team/${team.id}/objects?after=${after}`)).data.names
    }
    expect(objects).toHaveLength(3)
    // The keys stop working by the erasure; they are exported as they were.
    await eraseWhole(team)
    const left = await countLeft(team)
    expect(left).toEqual(nothing(left))
    expect((await operateJson('POST', `/team/${team.id}/erase`)).status).toBe(404)

    for (const part of [lines.slice(0, 1), lines.slice(0, 700), lines.slice(700)]) {
      const { status, data, errors } = await operateJson('POST', `/rows?team=${team.no}`, part.join('\n'))
      expect([status, data, errors]).toEqual([200, { rows: part.length }, []])
      // Objects are written only as long as nobody can act in the team.
      for (const [name, bytes] of objects) {
        const put = await operateJson('PUT', at(name), part.length === 1 ? bytes : 'of another time')
        expect([put.status, put.data]).toEqual([200, { name, written: part.length === 1 }])
      }
    }
    pass(ERASE_AFTER_MS)
    // A browser signs in again: its session, and links that were not used, stay behind.
    expect(await countLeft(team)).toEqual({ ...before, session: 0, sign_in_link: 0 })
    expect(await exportLines(team.id)).toEqual(lines)
    expect(await loadAnswers(team, routes)).toEqual(answers)
    const again = await team.call('POST', LEADS, { data: { lead_id: 'B1' } })
    expect(again.status).toBe(409)
    expect(await countLeft(other.team)).toEqual(othersCounts)
    expect(await loadAnswers(other.team, other.routes)).toEqual(othersAnswers)
    // Its log continues where it was, and each process leads to its earlier events.
    const last = (await loadLoggedEvents(team)).at(-1)?.sequence ?? 0
    expect(last).toBeGreaterThan(900)
    expect((await team.call('PUT', `${LEADS}/lead_id/007`, { data: { score: 3 } })).status).toBe(200)
    const event = (await loadLoggedEvents(team)).at(-1)
    expect(event?.sequence).toBe(last + 1)
    const [[, lastEvent] = []] = Object.values(event?.before ?? {})
    const { id: job } = JSON.parse(answers.find(each => each.startsWith(`${JOBS} `))?.split(' 200 ')[1] ?? '')[0]
    const ofJob = (await loadLoggedEvents(team)).find(({ by }) => by.job === job)
    expect(lastEvent).toBe(ofJob?.sequence)
  })

  it('is erased whole, wherever the erasure broke off', async () => {
    for (let nth = 0; ; nth++) {
      const { team } = nth === 0 ? await fullTeam() : { team: await smallTeam() }
      await operateJson('POST', `/team/${team.id}/erase`)
      pass(ERASE_AFTER_MS)
      let trips = 0
      const isBrokenOff = () => trips++ >= 2 + 3 * nth
      const DB = databaseThrough(call => (isBrokenOff() ? Promise.reject(new Error('gone')) : call()))
      const completed = await erase(team.id, { DB }).then(
        () => true,
        () => false,
      )
      if (!completed) await erase(team.id)
      const left = await countLeft(team)
      expect([nth, left]).toEqual([nth, nothing(left)])
      if (completed) return
    }
  })
})

async function smallTeam(): Promise<Team> {
  const team = await newLeadTeam()
  await team.call('POST', LEADS, { data: { lead_id: '1' } })
  await env.MEDIA.put(`${team.id}/2026-01-01/a.png`, PNG)
  return team
}

describe('an import', () => {
  it('refuses malformed lines, rows of another team, and a number that another team has', async () => {
    const [team, other] = [await smallTeam(), await smallTeam()]
    const lines = await exportLines(team.id)
    const sent = (text: string, no = team.no) => operateJson('POST', `/rows?team=${no}`, text)
    expect((await sent('{"table":')).status).toBe(400)
    expect((await sent('{"table":"sqlite_master","row":{}}')).status).toBe(400)
    expect((await sent('{"table":"user","row":{"no":1}}')).errors[0]).toContain('columns of user')
    expect((await sent(lines.join('\n'), other.no)).errors[0]).toContain('another team')
    const [first = ''] = lines
    const taken = first.replace(`"no":${team.no}`, `"no":${other.no}`)
    expect(await sent(taken, other.no)).toMatchObject({
      status: 409,
      errors: [expect.stringContaining('another team with the short id')],
    })
    const shortId = (line: string) => (JSON.parse(line) as { row: { short_id: string } }).row.short_id
    const [ofOther = ''] = await exportLines(other.id)
    const sameName = first.replace(`"no":${team.no}`, `"no":${team.no + 1}`).replace(shortId(first), shortId(ofOther))
    expect((await sent(sameName, team.no + 1)).errors[0]).toContain(`the short id ${shortId(ofOther)}`)
    expect((await operateJson('GET', '/team/nobody_has_this_name')).errors).toEqual([
      'team nobody_has_this_name not found',
    ])
    expect((await sent(lines.join('\n'))).data).toEqual({ rows: lines.length })
  })

  it('refuses a value that its column cannot hold, by line and name, and writes nothing', async () => {
    const team = await smallTeam()
    const lines = await exportLines(team.id)
    const { row } = JSON.parse(lines.find(line => line.startsWith('{"table":"user"')) ?? '')
    for (const [name, value] of [
      ['no', {}],
      ['no', 1.5],
      ['no', -1e308],
      ['no', null],
      ['deleted_at', 'x'],
      ['username', null],
      ['username', ['a']],
      ['username', { hex: 'no' }],
    ] as const) {
      const body = JSON.stringify({ table: 'user', row: { ...row, [name]: value } })
      const { status, errors } = await operateJson('POST', `/rows?team=${team.no}`, body)
      expect([name, status, errors[0]]).toEqual([name, 400, `line 1 has a value of user that ${name} can't hold`])
    }
    expect(await exportLines(team.id)).toEqual(lines)
  })
})

describe('an import of a team whose numbers are in use', () => {
  it('is refused before anything is written', async () => {
    const { team } = await fullTeam()
    const { team: other } = await fullTeam()
    const lines = await exportLines(team.id)
    await eraseWhole(team)
    // The rows of a team with one whose number, or another value of which there is one, another team has.
    for (const [name, column] of [
      ['process', 'rid'],
      ['message', 'rid'],
      ['background_job', 'no'],
      ['record', 'rid'],
      ['process_trash', 'rid'],
      ['user', 'id'],
      ['api_key', 'hash'],
      ['passkey', 'credential'],
    ] as const) {
      const { value } = (await env.DB.prepare(
        `SELECT iif(typeof(${column}) = 'blob', '{"hex":"' || hex(${column}) || '"}', json_quote(${column})) AS value
          FROM ${name} WHERE team = ?`,
      )
        .bind(other.no)
        .first<{ value: string }>()) ?? { value: '' }
      const nth = lines.findIndex(line => line.startsWith(`{"table":"${name}"`))
      const { row } = JSON.parse(lines[nth] ?? '') as { row: Record<string, unknown> }
      const taken = JSON.stringify({ table: name, row: { ...row, [column]: JSON.parse(value) } })
      for (const query of ['&dryRun=true', '']) {
        const sent = [...lines, taken].join('\n')
        const { status, errors } = await operateJson('POST', `/rows?team=${team.no}${query}`, sent)
        expect([status, errors[0]]).toEqual([409, expect.stringContaining(`of ${name}`)])
        const left = await countLeft(team)
        expect(left).toEqual({ ...nothing(left), MEDIA: left.MEDIA, ARCHIVE: left.ARCHIVE })
      }
    }
    const { status, data } = await operateJson('POST', `/rows?team=${team.no}&dryRun=true`, lines.join('\n'))
    expect([status, data]).toEqual([200, { rows: lines.length }])
    expect((await countLeft(team)).process).toBe(0)
  })
})

describe('an import that is repeated', () => {
  it('passes rows that move by themselves, and refuses changed ones', async () => {
    const { team } = await fullTeam()
    const lines = await exportLines(team.id)
    const sent = () => operateJson('POST', `/rows?team=${team.no}`, lines.join('\n'))
    const change = (text: string) => env.DB.prepare(text).bind(team.no).run()
    await change('UPDATE api_key SET last_used_at = 1 WHERE team = ?')
    await change('UPDATE webhook_progress SET position = 7, due_at = 8, revision = revision + 1 WHERE team = ?')
    await change('UPDATE message SET delivery = 9, updated_at = 1 WHERE team = ?')
    await change('UPDATE usage_day SET requests = requests + 1 WHERE team = ?')
    await change('UPDATE record_move SET processes = 5 WHERE team = ?')
    // The results of a large job, whose rows stay, and then a job whose entries went to an object meanwhile.
    const pointer = JSON.stringify({ object: crypto.randomUUID(), offset: 0, bytes: 9 })
    await change(`UPDATE job_outcome SET outcomes = '${pointer}' WHERE team = ?`)
    await change(`UPDATE job_chunk SET entries = '${pointer}' WHERE team = ?`)
    expect(await sent()).toMatchObject({ status: 200, data: { rows: lines.length } })
    await change('UPDATE background_job SET archived_at = 1 WHERE team = ? AND archived_at IS NULL')
    await change('DELETE FROM job_chunk WHERE team = ?')
    expect(await sent()).toMatchObject({ status: 200, data: { rows: lines.length } })
    const left = await countLeft(team)
    expect(left.job_chunk).toBe(0)
    await change('UPDATE process SET version = version + 1 WHERE team = ?')
    const { status, errors } = await sent()
    expect([status, errors[0]]).toEqual([
      409,
      expect.stringContaining('a row of process is there already, and is another one'),
    ])
    expect(await countLeft(team)).toEqual(left)
  })
})

describe('the operator', () => {
  it('is refused an unknown parameter, and nothing is erased', async () => {
    const team = await smallTeam()
    const refused = await operateJson('POST', `/team/${team.id}/erase?dryRun=true`)
    expect(refused.status).toBe(400)
    expect(refused.errors[0]).toContain('unknown parameter "dryRun"')
    expect((await team.call('GET', `${LEADS}/count`)).data).toMatchObject({ count: 1 })
  })

  it('needs the token, and has no routes where the settings have none', async () => {
    const team = await smallTeam()
    const path = `/team/${team.id}`
    expect((await operateJson('GET', path)).data).toMatchObject({ no: team.no, id: team.id })
    expect((await operateJson('GET', path, undefined, { OPERATOR_TOKEN: `${OPERATOR_TOKEN}x` })).status).toBe(401)
    expect((await team.call('GET', `/v1/operate${path}`)).status).toBe(404)
    for (const name of ['MEDIA/other/a.png', 'ARCHIVE/jobs/other/1.ndjson', `MEDIA/jobs/${team.id}/1`])
      expect((await operateJson('GET', `${path}/object?name=${encodeURIComponent(name)}`)).status).toBe(400)
    expect((await operateJson('POST', `${path}/erase?after=nowhere`)).status).toBe(400)
  })
})
