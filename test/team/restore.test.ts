import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type BackupContext, backUp, findBackedUpTeam, listBackups } from '../../scripts/team/backup.ts'
import { readTable } from '../../scripts/team/copy.ts'
import { operator } from '../../scripts/team/operator.ts'
import { restoreTeam } from '../../scripts/team/restore.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/time-units.ts'
import { newTeam, ORIGIN, type Team } from '../support/api.ts'
import { breakCall } from '../support/broken-bindings.ts'
import { Harness } from '../support/harness.ts'
import { JOBS, LEADS, leadProcedure, newLeadTeam } from '../support/jobs.ts'
import { openMemoryFolder } from '../support/memory-folder.ts'
import { moveLog } from '../support/moved-log.ts'
import { erase, exportLines, OPERATOR_TOKEN, operate, operateJson } from '../support/operator.ts'
import { connectPlugin, newNumber, refusedNumber } from '../support/provider.ts'
import { suspend } from '../support/suspension.ts'

// `npm run team -- backup` and `restore` on the Worker itself: what they are made of knows neither the disk nor the network, so
// each of their calls can be broken, before and after it took effect.

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())
const { CHAOS } = env as unknown as { CHAOS: string }
const pass = (ms: number) => vi.setSystemTime(Date.now() + ms)

type Around = <T>(what: string, call: (body?: string) => Promise<T>, body?: unknown) => Promise<T>

interface Commands extends BackupContext {
  said: string[]
  files: Map<string, string | Uint8Array<ArrayBuffer>>
  /** Goes around each call of the Worker and each change of the folder, from now on. */
  breakBy: (around: Around | undefined) => void
  backUp: (options?: { suspends?: boolean }) => Promise<string>
  restore: (time?: string, options?: { givesUpErasures?: boolean }) => Promise<void>
  /** How long it has waited. */
  waited: () => number
  interrupt: () => void
}

/** The commands for a team, at a clock that waiting advances. While they wait, the cron runs. */
function openCommands({ id }: Pick<Team, 'id'>, { aheadMs = 0 } = {}): Commands {
  let around: Around | undefined
  let waitedMs = 0
  const said: string[] = []
  let interrupt = (_: Error): void => {}
  const interrupted = new Promise<never>((_, reject) => {
    interrupt = reject
  })
  interrupted.catch(() => {})
  const { folder, files } = openMemoryFolder()
  const changing = {
    ...folder,
    writeText: (file: string, text: string) => through(`write ${file}`, () => folder.writeText(file, text)),
    writeLines: (file: string, parts: AsyncIterable<string>) =>
      through(`write ${file}`, () => folder.writeLines(file, parts)),
  }
  function through<T>(what: string, call: (changed?: string) => Promise<T>, body?: unknown): Promise<T> {
    return around ? around(what, call, body) : call()
  }
  const calls = operator(ORIGIN, OPERATOR_TOKEN, (url, { method = 'GET', body }) =>
    through(
      `${method} ${url}`,
      changed => operate(method, url.slice(`${ORIGIN}/v1/operate`.length), changed ?? body ?? undefined),
      body,
    ),
  )
  const context: BackupContext = {
    operator: calls,
    folder: changing,
    now: () => Date.now() + aheadMs,
    async wait(ms) {
      waitedMs += ms
      pass(ms)
      await new Harness().runCron()
    },
    say: text => void said.push(text),
    unlessInterrupted: act => Promise.race([act(), interrupted]),
    sameInstallation: ' --url https://api.example.com',
    same: ' --url https://api.example.com --backups elsewhere',
  }
  return {
    ...context,
    said,
    files,
    breakBy(by) {
      around = by
    },
    async backUp({ suspends = false } = {}) {
      await backUp(context, id, { suspends })
      return listBackups(folder, id).at(-1)?.time ?? ''
    },
    restore: (time, options) => restoreTeam({ ...context, confirm: async () => {} }, id, { time, ...options }),
    waited: () => waitedMs,
    interrupt: () => interrupt(new Error('interrupted by SIGINT')),
  }
}

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** A team with history in an object, an ended job in another, a customer, a file, and secrets. */
async function makeTeam() {
  const team = await newLeadTeam()
  const made = await team.call('POST', LEADS, { data: { lead_id: '1', city: 'Oslo', note: 'ü"\\\n\u2028' } })
  await moveLog(team)
  const ofCustomer = await team.call('POST', LEADS, {
    data: { lead_id: '2' },
    record: { data: { name: 'Asha Rao', phone: newNumber() } },
  })
  const whatsapp = await connectPlugin(team)
  await env.MEDIA.put(`${team.id}/2026-01-01/a.png`, PNG)
  const webhook = await team.call('POST', '/v1/ext/webhook', { url: 'https://a.example.com', enabled: false })
  const harness = new Harness()
  const processes = Array.from({ length: 30 }, (_, nth) => ({ data: { lead_id: `B${nth}` } }))
  const job = (await harness.request(team, 'POST', `${LEADS}/bulk-create`, { processes })).body._data
  await harness.settle(team)
  pass(2 * HOUR_MS)
  await harness.runCron()
  const routes = [
    ...[`${LEADS}/lead_id/1`, `${LEADS}/${made.data.id}/history`, `${LEADS}/lead_id/B29`, `${LEADS}/lead_id/B0`],
    ...[`${JOBS}/${job.id}`, `${JOBS}/${job.id}/entries?limit=100`, '/v1/ext/plugin'],
  ]
  return { team, whatsapp, routes, record: ofCustomer.data.record.id as string, webhook: webhook.data.id as string }
}

async function loadAnswers(team: Team, routes: readonly string[]): Promise<string[]> {
  const answers: string[] = []
  for (const route of routes) {
    const { status, data } = await team.call('GET', route)
    answers.push(`${route} ${status} ${JSON.stringify(data)}`)
  }
  return answers
}

/** What the world decides, and what somebody damages, after the backup. */
async function damage({ team, record, webhook }: Awaited<ReturnType<typeof makeTeam>>) {
  pass(MINUTE_MS)
  const revoked = await team.as('agent')
  const keys = (await team.call('GET', '/v1/ext/api-key')).data as { id: string; name: string }[]
  const made = await team.as('viewer')
  await team.call('DELETE', `/v1/ext/api-key/${keys.find(({ name }) => name === 'agent')?.id}`)
  await team.call('POST', '/v1/ext/user', { username: 'ravi', role: 'agent' })
  await team.call('PUT', `${LEADS}/lead_id/1`, { data: { city: 'Wrong' } })
  await team.call('DELETE', `${LEADS}/lead_id/B29`)
  const erased = await team.call('DELETE', `/v1/ext/record/${record}?everywhere=true`)
  expect(erased.errors).toEqual([])
  const rotated = await team.call('POST', `/v1/ext/webhook/${webhook}/rotate-secret`, {})
  expect(rotated.errors).toEqual([])
  await env.DB.prepare("INSERT INTO opt_out (team, phone, since, message) VALUES (?, '+919448300007', 1, 'm')")
    .bind(team.no)
    .run()
  await leadProcedure(team, { name: 'Damaged' })
  await operateJson('POST', `/team/${team.id}/suspend`)
  await operateJson('POST', `/team/${team.id}/resume`)
  return { revoked, made }
}

const countRows = async (sql: string, { no }: Team) => (await env.DB.prepare(sql).bind(no).first<{ n: number }>())?.n

const cronMinute = () => {
  pass(MINUTE_MS)
  return new Harness().runCron()
}

/** An import whose requests have the rows of one table each, as where there are many, and between which something happens. */
const importByTable =
  (between: () => Promise<unknown>): Around =>
  async (what, call, body) => {
    if (!/^POST .*\/rows\?team=\d+$/.test(what)) return call()
    const byTable = Map.groupBy(String(body).split('\n'), readTable)
    let rows = 0
    for (const lines of byTable.values()) {
      const response = await call(lines.join('\n'))
      if (!(response instanceof Response) || !response.ok) return response
      rows += ((await response.json()) as { _data: { rows: number } })._data.rows
      await between()
    }
    return Response.json({ _data: { rows } }) as never
  }

describe('a restore of one team', () => {
  it('takes its data back, and not what was decided since; nothing of another team changes', async () => {
    const other = await makeTeam()
    const made = await makeTeam()
    const { team, record, routes } = made
    const commands = openCommands(team)
    const answers = await loadAnswers(team, routes)
    const others = await exportLines(other.team.id)
    const time = await commands.backUp()
    const secrets = () => countRows('SELECT count(DISTINCT secret) AS n FROM webhook WHERE team = ?', team)
    const { revoked, made: viewer } = await damage(made)
    const version = await countRows('SELECT version AS n FROM procedure WHERE team = ?', team)
    const secret = await env.DB.prepare('SELECT secret FROM webhook WHERE team = ?').bind(team.no).first('secret')

    await commands.restore(time)
    pass(MINUTE_MS)
    expect(await loadAnswers(team, routes)).toEqual(answers)
    expect((await team.call('GET', `/v1/ext/record/${record}`)).status).toBe(404)
    expect([(await revoked.call('GET', '/v1/ext/me')).status, (await viewer.call('GET', '/v1/ext/me')).status]).toEqual(
      [401, 200],
    )
    expect(await countRows("SELECT count(*) AS n FROM user WHERE team = ? AND username = 'ravi'", team)).toBe(1)
    expect(await countRows('SELECT count(*) AS n FROM opt_out WHERE team = ?', team)).toBe(1)
    expect(await secrets()).toBe(1)
    expect(await env.DB.prepare('SELECT secret FROM webhook WHERE team = ?').bind(team.no).first('secret')).toBe(secret)
    expect(await countRows('SELECT version AS n FROM procedure WHERE team = ?', team)).toBe((version ?? 0) + 1)
    // It goes on where it was.
    expect((await team.call('PUT', `${LEADS}/lead_id/1`, { data: { city: 'Bergen' } })).status).toBe(200)
    expect((await team.call('POST', LEADS, { data: { lead_id: '1' } })).status).toBe(409)
    expect((await exportLines(other.team.id)).length).toBe(others.length)
    // As it was before, it is in a backup, too.
    const kept = listBackups(commands.folder, team.id).map(each => each.time)
    expect(kept).toHaveLength(2)
    await commands.restore(kept[1])
    pass(MINUTE_MS)
    expect((await team.call('GET', `${LEADS}/lead_id/1`)).data.data.city).toBe('Wrong')
    expect(commands.files.has(`${team.id}/restore.json`)).toBe(false)
  })

  it('goes on wherever it was broken off, and what is kept is always whole', async () => {
    const made = await makeTeam()
    const { team, routes } = made
    const commands = openCommands(team)
    const answers = await loadAnswers(team, routes)
    const time = await commands.backUp()
    await damage(made)
    for (let nth = 1, isDone = false; !isDone; nth += CHAOS === 'full' ? 1 : 17)
      for (const isAfter of [false, true]) {
        await team.call('PUT', `${LEADS}/lead_id/1`, { data: { city: `Wrong ${nth} ${isAfter}` } })
        const broken = breakCall(nth, isAfter)
        const calls: string[] = []
        commands.breakBy((what, call) => {
          calls.push(what)
          return broken.around(call)
        })
        const failure = await commands.restore(time).catch((error: Error) => error)
        commands.breakBy(undefined)
        isDone = !broken.hasFailed()
        expect([nth, calls.at(-1), failure instanceof Error]).toEqual([nth, calls.at(-1), !isDone])
        if (failure) await commands.restore(time)
        pass(MINUTE_MS)
        expect(await loadAnswers(team, routes)).toEqual(answers)
        const kept = listBackups(commands.folder, team.id).at(-1)
        const rows = String(commands.files.get(`${kept?.path}/rows.ndjson`))
        expect(rows).toContain(`Wrong ${nth} ${isAfter}`)
      }
  })

  it('names the team that was given its short id meanwhile, and goes on once that one is erased', async () => {
    const made = await makeTeam()
    const { team } = made
    const commands = openCommands(team)
    const time = await commands.backUp()
    await damage(made)
    const { shortId = '' } = listBackups(commands.folder, team.id)[0]?.team ?? {}
    const other = await newTeam()
    commands.breakBy(async (what, call) => {
      const answer = await call()
      const isGone = what.includes('/erase') && (await operateJson('GET', `/team/${team.id}`)).status === 404
      if (isGone) await env.DB.prepare('UPDATE team SET short_id = ? WHERE no = ?').bind(shortId, other.no).run()
      return answer
    })
    const failure = await commands.restore(time).catch((error: Error) => error.message)
    commands.breakBy(undefined)
    expect(failure).toContain(`The short id ${shortId} is that of the team ${other.id} now`)
    expect(failure).toContain(`npm run team -- erase ${other.id} --url https://api.example.com\n`)
    expect(failure).toContain(`npm run team -- restore ${team.id} --url https://api.example.com --backups elsewhere`)
    await env.DB.prepare("UPDATE team SET short_id = 'another' WHERE no = ?").bind(other.no).run()
    await commands.restore()
    pass(MINUTE_MS)
    expect((await team.call('GET', `${LEADS}/lead_id/1`)).data.data.city).toBe('Oslo')
  })

  it('puts back what was kept where the import is refused in its middle', async () => {
    const made = await makeTeam()
    const { team } = made
    const commands = openCommands(team)
    const time = await commands.backUp()
    await damage(made)
    const other = await newTeam()
    const rid = await env.DB.prepare('SELECT rid FROM process_trash WHERE team = ?').bind(team.no).first<number>('rid')
    // Another team gets the number of a process in the meantime, as chance may have it.
    commands.breakBy(async (what, call) => {
      if (/^PUT .*\/object/.test(what))
        await env.DB.prepare(
          "INSERT OR IGNORE INTO process (rid, id, team, proc, status, state, updated_at, data) VALUES (?, 'x', ?, 1, 3, 'NEW', 1, jsonb('{}'))",
        )
          .bind(rid, other.no)
          .run()
      return call()
    })
    const failure = await commands.restore(time).catch((error: Error) => error.message)
    expect(failure).toContain('is as it was before')
    pass(MINUTE_MS)
    expect((await team.call('GET', `${LEADS}/lead_id/1`)).data.data.city).toBe('Wrong')
    expect(commands.files.has(`${team.id}/restore.json`)).toBe(false)
  })

  it('is refused before anything is erased where its rows could not be imported', async () => {
    const { team, record } = await makeTeam()
    const commands = openCommands(team)
    const time = await commands.backUp()
    await team.call('PUT', `${LEADS}/lead_id/1`, { data: { city: 'Wrong' } })
    const before = await exportLines(team.id)
    const other = await newTeam()
    await env.DB.prepare('UPDATE record SET team = ? WHERE team = ? AND id = ?').bind(other.no, team.no, record).run()
    await expect(commands.restore(time)).rejects.toThrow(/of record has a number[\s\S]*is as it was before/)
    await env.DB.prepare('UPDATE record SET team = ? WHERE team = ? AND id = ?').bind(team.no, other.no, record).run()
    pass(MINUTE_MS)
    expect(await exportLines(team.id)).toEqual(before)
    expect((await team.call('GET', `${LEADS}/lead_id/1`)).status).toBe(200)
  })

  it('has a team back that was erased', async () => {
    const { team, routes, record } = await makeTeam()
    const answers = await loadAnswers(team, routes)
    const commands = openCommands(team)
    const time = await commands.backUp()
    await team.call('DELETE', `/v1/ext/record/${record}`)
    await operateJson('POST', `/team/${team.id}/erase`)
    pass(MINUTE_MS)
    await erase(team.id)
    expect((await operateJson('GET', `/team/${team.id}`)).status).toBe(404)
    await commands.restore(time)
    pass(MINUTE_MS)
    expect(await loadAnswers(team, routes)).toEqual(answers)
    expect((await team.call('GET', `/v1/ext/record/${record}`)).status).toBe(404)
  })

  it('ends an erasure that was under way at the backup only when all that it erases is there', async () => {
    const team = await newLeadTeam()
    const phone = newNumber()
    const harness = new Harness()
    // So many are erased in steps.
    const items = Array.from({ length: 260 }, (_, nth) => ({
      data: { lead_id: `E${nth}` },
      record: { data: { phone } },
    }))
    await harness.request(team, 'POST', `${LEADS}/bulk-create`, { processes: items })
    await harness.settle(team)
    const { id } = (await team.call('GET', `${LEADS}/lead_id/E0`)).data.record
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    await env.DB.prepare(
      "CREATE TRIGGER poison BEFORE UPDATE OF record ON process BEGIN SELECT RAISE(ABORT, 'poison'); END",
    ).run()
    expect((await team.call('DELETE', `/v1/ext/record/${id}?everywhere=true`)).status).toBe(202)
    await env.DB.prepare('DROP TRIGGER poison').run()
    logged.mockRestore()
    const commands = openCommands(team)
    const time = await commands.backUp()
    commands.breakBy(importByTable(cronMinute))
    await commands.restore(time)
    for (let nth = 0; nth < 5; nth++) await cronMinute()
    expect(await countRows('SELECT count(*) AS n FROM process WHERE team = ?', team)).toBe(260)
    expect(await countRows('SELECT count(*) AS n FROM process WHERE team = ? AND record IS NOT NULL', team)).toBe(0)
    expect((await team.call('DELETE', `/v1/ext/record/${id}?everywhere=true`)).status).toBe(404)
  })

  it('leaves a team suspended that the operator had suspended', async () => {
    const { team } = await makeTeam()
    const commands = openCommands(team)
    const time = await commands.backUp()
    await operateJson('POST', `/team/${team.id}/suspend`)
    await commands.restore(time)
    pass(MINUTE_MS)
    expect((await team.call('GET', '/v1/ext/me')).status).toBe(403)
    expect(commands.said.join('\n')).toContain('stays suspended')
  })

  it('sends nothing again: a job that may have sent is cancelled, and one that had ended is not retried', async () => {
    const { team, whatsapp } = await makeTeam()
    const harness = new Harness()
    const sendTo = async (phoneNumber: string) => {
      const entries = [whatsapp.entry(phoneNumber)]
      return (await harness.request(team, 'POST', JOBS, { entries })).body._data.id as string
    }
    const failed = await sendTo(refusedNumber(131026))
    await harness.settle(team)
    const phone = newNumber()
    const open = await sendTo(phone)
    const commands = openCommands(team)
    const time = await commands.backUp()
    await harness.settle(team)
    expect((await whatsapp.received(`to=${phone}`)).received).toBe(1)
    await commands.restore(time)
    pass(MINUTE_MS)
    await harness.settle(team)
    expect((await team.call('GET', `${JOBS}/${open}`)).data.completionStatus).toBe('CANCELLED')
    expect((await whatsapp.received(`to=${phone}`)).received).toBe(1)
    expect((await team.call('POST', `${JOBS}/${failed}/retry`)).status).toBe(409)
  })

  it('leaves off what was taken out of use since: webhooks, a plugin, and jobs that were cancelled', async () => {
    const { team, whatsapp } = await makeTeam()
    const harness = new Harness()
    const [line, closed] = [whatsapp, await connectPlugin(team)]
    const names = ['removed', 'expired', 'disabled', 'moved', 'kept'] as const
    const webhooks = new Map<string, string>()
    for (const name of names) {
      const body = { url: `https://${name}.example.com`, types: ['record.erased'] }
      webhooks.set(name, (await team.call('POST', '/v1/ext/webhook', body)).data.id)
    }
    const at = (name: (typeof names)[number]) => `/v1/ext/webhook/${webhooks.get(name)}`
    const schedule = async () => {
      const body = { entries: [line.entry(newNumber())], startAt: Date.now() + DAY_MS }
      return (await harness.request(team, 'POST', JOBS, body)).body._data.id as string
    }
    const [wanted, unwanted] = [await schedule(), await schedule()]
    const processes = Array.from({ length: 3 }, (_, nth) => ({ data: { lead_id: `C${nth}` } }))
    const bulk = (await harness.request(team, 'POST', `${LEADS}/bulk-create`, { processes })).body._data.id as string
    const commands = openCommands(team)
    const time = await commands.backUp()

    pass(MINUTE_MS)
    for (const name of ['removed', 'expired'] as const) await team.call('DELETE', at(name))
    await env.DB.prepare('DELETE FROM webhook WHERE id = ?').bind(webhooks.get('expired')).run()
    await team.call('PUT', at('disabled'), { enabled: false })
    await team.call('PUT', at('moved'), { url: 'https://elsewhere.example.com' })
    await team.call('DELETE', closed.base)
    for (const job of [unwanted, bulk]) expect((await team.call('POST', `${JOBS}/${job}/cancel`)).status).toBe(200)
    await commands.restore(time)

    pass(MINUTE_MS)
    const addresses = new Map<string, string>()
    for (const name of names) {
      const { url, enabled } = (await team.call('GET', at(name))).data
      addresses.set(name, `${url} ${enabled}`)
    }
    expect(Object.fromEntries(addresses)).toEqual({
      removed: 'https://removed.example.com false',
      expired: 'https://expired.example.com false',
      disabled: 'https://disabled.example.com false',
      moved: 'https://elsewhere.example.com true',
      kept: 'https://kept.example.com true',
    })
    expect((await team.call('GET', line.base)).status).toBe(200)
    expect((await team.call('GET', closed.base)).status).toBe(404)
    await harness.runCron()
    await harness.deliver()
    const jobs: [unknown, unknown][] = []
    for (const id of [wanted, unwanted, bulk]) {
      const { data, meta } = await team.call('GET', `${JOBS}/${id}`)
      jobs.push([data.completionStatus, meta.bjEntryCompletionStatusVsCount.CANCELLED])
    }
    expect(jobs).toEqual([
      ['NOT_STARTED', 0],
      ['CANCELLED', 1],
      ['CANCELLED', 3],
    ])
    const [, told = ''] = commands.said.join('\n').split('As decided since the backup:')
    for (const name of ['removed', 'expired', 'disabled', 'moved'] as const) expect(told).toContain(webhooks.get(name))
    for (const id of [closed.id, unwanted, bulk]) expect(told).toContain(id)
    for (const id of [webhooks.get('kept'), line.id, wanted]) expect(told).not.toContain(id)
    // A backup of before the decisions, restored to after them, has nothing to tell.
    const kept = listBackups(commands.folder, team.id).at(-1)
    const said = commands.said.length
    await commands.restore(kept?.time)
    expect(commands.said.slice(said).join('\n')).not.toContain('As decided since')
  })

  it('imports no idempotency record that has expired: the cron may remove it before it is read back', async () => {
    const { team } = await makeTeam()
    for (const key of ['old', 'young']) {
      pass(12 * HOUR_MS)
      await team.call('POST', LEADS, { data: { lead_id: key } }, { 'idempotency-key': key })
    }
    const commands = openCommands(team)
    const time = await commands.backUp()
    pass(13 * HOUR_MS)
    const expiries: number[] = []
    commands.breakBy((what, call, body) => {
      const lines = /^POST .*\/rows\?team=\d+$/.test(what) ? String(body).split('\n') : []
      const records = lines.filter(line => readTable(line) === 'idempotency')
      expiries.push(...records.map(line => JSON.parse(line).row.expires_at))
      return call()
    })
    await commands.restore(time)
    expect(expiries.map(each => each > Date.now())).toEqual([true])
  })

  /** Restores while a customer cannot be erased again: the erasure of the team removes the row, too, so it is poisoned once the team is back. */
  async function restorePoisoned(commands: Commands, time: string, record: string) {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    commands.breakBy(async (what, call) => {
      if (what.includes('/erase-again'))
        await env.DB.prepare(
          `CREATE TRIGGER IF NOT EXISTS poison BEFORE DELETE ON record WHEN old.id = '${record}' BEGIN SELECT RAISE(ABORT, 'poison'); END`,
        ).run()
      return call()
    })
    try {
      await expect(commands.restore(time)).rejects.toThrow(new RegExp(`customer ${record}: .*poison`))
    } finally {
      commands.breakBy(undefined)
      await env.DB.prepare('DROP TRIGGER IF EXISTS poison').run()
      logged.mockRestore()
    }
    pass(MINUTE_MS)
  }

  it('ends without the erasures that fail if the operator says so, and touches no job again', async () => {
    const { team, record, whatsapp } = await makeTeam()
    const commands = openCommands(team)
    const time = await commands.backUp()
    await expect(commands.restore(undefined, { givesUpErasures: true })).rejects.toThrow('no restore')
    await team.call('DELETE', `/v1/ext/record/${record}`)
    await restorePoisoned(commands, time, record)
    await expect(commands.backUp()).rejects.toThrow('has not come to its end')
    await operateJson('POST', `/team/${team.id}/resume`)
    pass(MINUTE_MS)
    const harness = new Harness()
    const entries = [whatsapp.entry(newNumber())]
    const job = (await harness.request(team, 'POST', JOBS, { entries })).body._data.id as string
    await commands.restore(undefined, { givesUpErasures: true })
    expect((await team.call('GET', `/v1/ext/record/${record}`)).status).toBe(200)
    await harness.settle(team)
    expect((await team.call('GET', `${JOBS}/${job}`)).data.completionStatus).toBe('SUCCESS')
    expect(await commands.backUp()).not.toBe(time)
  })

  it('passes over a note that cannot be read, and names it', async () => {
    const { team } = await makeTeam()
    const commands = openCommands(team)
    const time = await commands.backUp()
    const key = `erasures/${new Date().toISOString()}/unreadable/0`
    await env.ARCHIVE.put(key, null, { customMetadata: { note: 'of a later version' } })
    try {
      await commands.restore(time)
    } finally {
      await env.ARCHIVE.delete(key)
    }
    pass(MINUTE_MS)
    expect((await team.call('GET', '/v1/ext/me')).status).toBe(200)
    expect(commands.said.join('\n')).toContain(`the note ${key} of an erasure cannot be read`)
  })

  it('never ends a suspension of the operator, also one of its own time', async () => {
    const { team } = await makeTeam()
    const commands = openCommands(team)
    const time = await commands.backUp()
    for (const moment of ['dryRun=replacing', '/erase-again']) {
      commands.breakBy(async (what, call) => {
        if (what.includes(moment)) await suspend(team)
        return call()
      })
      await commands.restore(time)
      pass(MINUTE_MS)
      expect((await team.call('GET', '/v1/ext/me')).status).toBe(403)
      expect(commands.said.pop()).toContain('restored')
      expect(commands.said.pop()).toContain('stays suspended')
      await operateJson('POST', `/team/${team.id}/resume`)
    }
  })

  it('that goes on a month later puts back what was kept: nothing remembers who was erased since', async () => {
    const made = await makeTeam()
    const { team } = made
    const commands = openCommands(team)
    const time = await commands.backUp()
    await damage(made)
    commands.breakBy((what, call) => (/\/erase$/.test(what) ? Promise.reject(new Error('it is down')) : call()))
    await expect(commands.restore(time)).rejects.toThrow('cannot be reached')
    commands.breakBy(undefined)
    pass(31 * DAY_MS)
    await expect(commands.restore()).rejects.toThrow(/more than 30 days ago[\s\S]*is as it was before/)
    pass(MINUTE_MS)
    expect((await team.call('GET', `${LEADS}/lead_id/1`)).data.data.city).toBe('Wrong')
    expect(await commands.backUp()).not.toBe(time)
  })

  it('has an erased team back suspended, if the operator had suspended it', async () => {
    const { team } = await makeTeam()
    const commands = openCommands(team)
    const open = await commands.backUp({ suspends: true })
    pass(MINUTE_MS)
    await operateJson('POST', `/team/${team.id}/suspend`)
    pass(MINUTE_MS)
    const suspended = await commands.backUp()
    for (const [time, status] of [
      [suspended, 403],
      [open, 200],
    ] as const) {
      await operateJson('POST', `/team/${team.id}/erase`)
      pass(MINUTE_MS)
      await erase(team.id)
      await commands.restore(time)
      pass(MINUTE_MS)
      expect((await team.call('GET', '/v1/ext/me')).status).toBe(status)
    }
  })

  it('names what could not be erased again, and leaves the team suspended until it is', async () => {
    const { team, record } = await makeTeam()
    const commands = openCommands(team)
    const time = await commands.backUp()
    await team.call('DELETE', `/v1/ext/record/${record}`)
    await restorePoisoned(commands, time, record)
    expect((await team.call('GET', '/v1/ext/me')).status).toBe(403)
    await commands.restore()
    pass(MINUTE_MS)
    expect((await team.call('GET', `/v1/ext/record/${record}`)).status).toBe(404)
  })
})

describe('a backup', () => {
  it('is of one moment, or there is none', async () => {
    const { team } = await makeTeam()
    const commands = openCommands(team)
    let writes = 0
    const writeMeanwhile = (most: number) =>
      commands.breakBy(async (what, call) => {
        if (what.includes('/rows') && writes < most) {
          writes += 1
          await team.call('PUT', `${LEADS}/lead_id/1`, { data: { score: writes } })
        }
        return call()
      })
    writeMeanwhile(1)
    const time = await commands.backUp()
    expect(listBackups(commands.folder, team.id).map(each => each.time)).toEqual([time])
    expect(String(commands.files.get(`${team.id}/${time}/rows.ndjson`))).toContain('"score":1')
    writeMeanwhile(Number.POSITIVE_INFINITY)
    pass(MINUTE_MS)
    await expect(commands.backUp()).rejects.toThrow('--suspend')
    expect(listBackups(commands.folder, team.id)).toHaveLength(1)
    // A suspended team has all of it refused.
    expect(await commands.backUp({ suspends: true })).not.toBe(time)
    commands.breakBy(undefined)
    pass(MINUTE_MS)
    expect((await team.call('GET', '/v1/ext/me')).status).toBe(200)
  })

  it('is made again where a definition was changed meanwhile', async () => {
    const { team } = await makeTeam()
    const commands = openCommands(team)
    let isChanged = false
    commands.breakBy(async (what, call) => {
      // Its rows are copied by now.
      if (what.includes('/objects') && !isChanged) {
        isChanged = true
        await leadProcedure(team, { name: 'Changed' })
      }
      return call()
    })
    const time = await commands.backUp()
    expect(String(commands.files.get(`${team.id}/${time}/rows.ndjson`))).toContain('"name":"Changed"')
  })

  it('is made again where a job was archived meanwhile: its entries would be in rows that nobody reads', async () => {
    const { team } = await makeTeam()
    const harness = new Harness()
    const processes = [{ data: { lead_id: 'C' } }]
    await harness.request(team, 'POST', `${LEADS}/bulk-create`, { processes })
    await harness.settle(team)
    const mark = async () => (await operateJson('GET', `/team/${team.id}`)).data.mark
    const before = await mark()
    pass(2 * HOUR_MS)
    expect(await mark()).toBe(before)
    await harness.runCron()
    expect(await mark()).not.toBe(before)
  })

  it('rests for a minute, whatever the clock of its machine says', async () => {
    for (const aheadMs of [-HOUR_MS, HOUR_MS]) {
      const { team } = await makeTeam()
      const commands = openCommands(team, { aheadMs })
      await commands.backUp({ suspends: true })
      expect(commands.waited()).toBe(MINUTE_MS)
    }
  })

  it('ends no suspension of the operator, whatever broke off before', async () => {
    const { team } = await makeTeam()
    const commands = openCommands(team)
    const status = async () => {
      pass(MINUTE_MS)
      return (await team.call('GET', '/v1/ext/me')).status
    }
    // It was not reached, and days later a key is leaked.
    commands.breakBy((what, call) => (what.includes('/suspend') ? Promise.reject(new Error('it is down')) : call()))
    await expect(commands.backUp({ suspends: true })).rejects.toThrow('cannot be reached')
    commands.breakBy(undefined)
    pass(3 * DAY_MS)
    await suspend(team)
    await commands.backUp({ suspends: true })
    expect(await status()).toBe(403)
    await operateJson('POST', `/team/${team.id}/resume`)
    expect(await status()).toBe(200)
    // It breaks off while the team is suspended, and the operator keeps it so.
    commands.breakBy((what, call) => (/\/(rows|resume)/.test(what) ? Promise.reject(new Error('it is down')) : call()))
    await expect(commands.backUp({ suspends: true })).rejects.toThrow('cannot be reached')
    commands.breakBy(undefined)
    await suspend(team)
    await commands.backUp({ suspends: true })
    expect(await status()).toBe(403)
    await operateJson('POST', `/team/${team.id}/resume`)
    expect(await status()).toBe(200)
    // The answer gets lost, and the next command ends what has begun.
    commands.breakBy(async (what, call) => {
      const answer = await call()
      if (what.includes('/suspend')) throw new Error('it is down')
      return answer
    })
    await expect(commands.backUp({ suspends: true })).rejects.toThrow('cannot be reached')
    commands.breakBy(undefined)
    expect(await status()).toBe(403)
    await commands.backUp({ suspends: true })
    expect(await status()).toBe(200)
  })

  it('resumes the team where it is interrupted, or finds it suspended by one that was killed', async () => {
    const { team } = await makeTeam()
    const commands = openCommands(team)
    const status = async () => {
      pass(MINUTE_MS)
      return (await team.call('GET', '/v1/ext/me')).status
    }
    // Killed: not even a resumption is tried.
    commands.breakBy((what, call) => (/\/(rows|resume)/.test(what) ? Promise.reject(new Error('it is down')) : call()))
    await expect(commands.backUp({ suspends: true })).rejects.toThrow('cannot be reached')
    expect(commands.said.join('\n')).toMatch(/another backup: npm run team -- backup \S+ --url/)
    expect(await status()).toBe(403)
    commands.breakBy(undefined)
    await commands.backUp()
    expect(await status()).toBe(200)
    // Interrupted while its rows are copied.
    commands.breakBy((what, call) => {
      if (!what.includes('/rows')) return call()
      commands.interrupt()
      return new Promise(() => {})
    })
    await expect(commands.backUp({ suspends: true })).rejects.toThrow('interrupted by SIGINT')
    expect(commands.said.at(-1)).toContain('resumed')
    expect(await status()).toBe(200)
  })

  it('is found beside other files; of two teams with one short id, by the id', async () => {
    const { team } = await makeTeam()
    const commands = openCommands(team)
    const time = await commands.backUp()
    for (const file of ['.DS_Store', `${team.id}/cron.log`]) commands.files.set(file, '')
    const { shortId } = listBackups(commands.folder, team.id)[0]?.team ?? { shortId: '' }
    expect(findBackedUpTeam(commands.folder, shortId)).toBe(team.id)
    const manifest = commands.files.get(`${team.id}/${time}/backup.json`) ?? ''
    commands.files.set(`another/${time}/backup.json`, manifest)
    expect(() => findBackedUpTeam(commands.folder, shortId)).toThrow(
      `name yours by its id: ${[team.id, 'another'].sort().join(', ')}`,
    )
    expect(findBackedUpTeam(commands.folder, team.id)).toBe(team.id)
  })

  it('that broke off is never one, and the next command ends the suspension that it has begun', async () => {
    const { team } = await makeTeam()
    const commands = openCommands(team)
    let calls = 0
    commands.breakBy((_, call) => (++calls > 6 ? Promise.reject(new Error('it is down')) : call()))
    await expect(commands.backUp({ suspends: true })).rejects.toThrow()
    commands.breakBy(undefined)
    expect(listBackups(commands.folder, team.id)).toEqual([])
    expect(commands.said.join('\n')).toContain('is still suspended')
    await expect(commands.restore('2026-11-27T030000Z')).rejects.toThrow('there is no whole backup')
    pass(MINUTE_MS)
    expect((await team.call('GET', '/v1/ext/me')).status).toBe(403)
    const time = await commands.backUp({ suspends: true })
    pass(MINUTE_MS)
    expect((await team.call('GET', '/v1/ext/me')).status).toBe(200)
    // What is damaged is refused by the place, and nothing was changed.
    const rows = `${team.id}/${time}/rows.ndjson`
    const whole = String(commands.files.get(rows))
    commands.files.set(rows, whole.slice(0, whole.lastIndexOf('{"table":"background_job"')))
    await expect(commands.restore(time)).rejects.toThrow(/is damaged: it has \d+ of \d+ rows of/)
    expect((await team.call('GET', '/v1/ext/me')).status).toBe(200)
  })

  it('is kept for thirty days', async () => {
    const { team } = await makeTeam()
    const commands = openCommands(team)
    const first = await commands.backUp()
    commands.files.set(`${team.id}/2026-01-01T000000Z/rows.ndjson`, 'of one that broke off')
    pass(29 * DAY_MS)
    const second = await commands.backUp()
    expect(listBackups(commands.folder, team.id).map(each => each.time)).toEqual([first, second])
    expect(commands.files.has(`${team.id}/2026-01-01T000000Z/rows.ndjson`)).toBe(false)
    pass(2 * DAY_MS)
    await expect(commands.restore(first)).rejects.toThrow('more than 30 days ago')
    const third = await commands.backUp()
    expect(listBackups(commands.folder, team.id).map(each => each.time)).toEqual([second, third])
  })
})
