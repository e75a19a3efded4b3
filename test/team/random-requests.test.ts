import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { linkFor } from '../support/browser-session.ts'
import { NASTY_TEXTS, NASTY_VALUES } from '../support/fuzz.ts'
import { LEADS, newLeadTeam } from '../support/jobs.ts'
import { exportLines, operate } from '../support/operator.ts'
import { newNumber } from '../support/provider.ts'
import { createRandom } from '../support/random.ts'
import { IS_CHAOS, SEED } from '../support/seed.ts'

// `contract/fuzz.test.ts` draws the routes of the reference. These are the operator's, which stand in no document.

const REQUESTS = IS_CHAOS ? 10_000 : 300
/** The texts that a caller must never see. */
const INTERNALS = /D1_ERROR|SQLITE|no such (?:column|table)|\bsyntax error\b|\n\s+at |\.ts:\d+|Cannot read/
const FREE_NUMBER = 900_000_000

const random = createRandom(SEED)

const ROUTES = [
  ['GET', '/team/{team}'],
  ['GET', '/team/{team}/rows'],
  ['POST', '/rows'],
  ['POST', '/team/{team}/erase'],
  ['POST', '/team/{team}/sign-in-link'],
  ['GET', '/team/{team}/objects'],
  ['GET', '/team/{team}/object'],
  ['PUT', '/team/{team}/object'],
] as const

async function newLeads() {
  const team = await newLeadTeam()
  for (const lead_id of ['007', '008'])
    await team.call('POST', LEADS, { data: { lead_id }, record: { data: { phone: newNumber() } } })
  await linkFor(team)
  return team
}

it(`the API of the operator answers ${REQUESTS} requests of an operator, valid and broken, and changes no team that none of them names`, {
  timeout: 20 * 60_000,
}, async () => {
  const [named, erased, bystander] = [await newLeads(), await newLeads(), await newLeads()]
  const before = await exportLines(bystander.id)
  const lines = await exportLines(named.id)
  const cursors = ['process [1]', 'process', 'team', `user ["${named.admin}"]`, 'record_identity ["x",1]']
  const names = [`MEDIA/${named.id}/a.png`, `ARCHIVE/jobs/${named.id}/b`]
  // No route writes an object of a team in which somebody can act.
  await env.MEDIA.put(`${named.id}/a.png`, 'a picture')
  const went = new Map(ROUTES.map(([method, path]) => [`${method} ${path}`, { well: 0, badly: 0 }]))

  const some = (real: readonly string[]): string =>
    (random.chance(0.7) ? random.pick(real) : random.pick(NASTY_TEXTS)).toWellFormed()
  const query = (path: string): URLSearchParams => {
    const chosen = new URLSearchParams()
    if (path.endsWith('rows') && random.chance(0.6))
      chosen.set(path === '/rows' ? 'team' : 'after', some(path === '/rows' ? [String(FREE_NUMBER)] : cursors))
    if (path.endsWith('/erase') || path.endsWith('/objects')) if (random.chance(0.5)) chosen.set('after', some(cursors))
    if (path.endsWith('link') && random.chance(0.5)) chosen.set('user', some(['nobody']))
    if (path.endsWith('/object') && random.chance(0.9)) chosen.set('name', some(names))
    if (random.chance(0.03)) chosen.set(random.pick(NASTY_TEXTS).toWellFormed(), 'x')
    return chosen
  }
  /** A line of the export as that of another team, and mostly with a member of another value. */
  const brokenLine = (): string => {
    if (random.chance(0.1)) return random.pick(NASTY_TEXTS)
    const { table, row } = JSON.parse(random.pick(lines)) as { table: string; row: Record<string, unknown> }
    const own = Object.entries(row).map(([name, value]): [string, unknown] => {
      if (name === 'team' || (table === 'team' && name === 'no')) return [name, FREE_NUMBER]
      return [name, random.chance(0.1) ? random.pick(NASTY_VALUES) : value]
    })
    return JSON.stringify({ table, row: Object.fromEntries(random.chance(0.1) ? own.slice(1) : own) })
  }

  for (let number = 1; number <= REQUESTS; number++) {
    const [method, path] = random.pick(ROUTES)
    const { id } = path.endsWith('/erase') ? erased : named
    const address = `${path.replace('{team}', encodeURIComponent(some([id])) || 'x')}?${query(path)}`
    const body =
      method === 'GET'
        ? undefined
        : path === '/rows'
          ? Array.from({ length: random.whole(0, 3) }, brokenLine).join('\n')
          : random.pick(NASTY_TEXTS)
    const response = await operate(method, address, body)
    const text = new TextDecoder().decode(await response.arrayBuffer())
    const where = `request ${number} of seed ${SEED}: ${method} ${address}\n${body}\n${response.status} ${text.slice(0, 1_000)}`
    expect(response.status, where).toBeLessThan(500)
    expect(text, where).not.toMatch(INTERNALS)
    if (response.status >= 400) expect(JSON.parse(text)._errors.length, where).toBeGreaterThan(0)
    const count = went.get(`${method} ${path}`)
    if (count) response.status < 400 ? count.well++ : count.badly++
  }
  console.info(`seed ${SEED}; well/badly:`, JSON.stringify(Object.fromEntries(went)))
  // Lines of a team that is there are nobody else's, so no import goes well: test/team/walker.test.ts has those that do.
  expect([...went].filter(([route, { well, badly }]) => badly === 0 || (well === 0 && route !== 'POST /rows'))).toEqual(
    [],
  )
  expect(await exportLines(bystander.id)).toEqual(before)
})
