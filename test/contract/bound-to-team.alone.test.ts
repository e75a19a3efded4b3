import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { casing } from '../../src/db/compile.ts'
import { WALKED_TABLES } from '../../src/team/tables.ts'

// Every operation is called, and each statement that this sends is read: alone, or what another file has left would be read as
// well. Of each table with rows of teams a statement has to name the team: by its column, by a number of the team's own range,
// or by what a row that is bound so refers to.

interface Prepared {
  statement: string
  bind: (...values: unknown[]) => unknown
}

const sent = new Set<string>()
const prototype = Object.getPrototypeOf(env.DB.prepare('SELECT 1')) as Prepared
const { bind } = prototype
prototype.bind = function (this: Prepared, ...values) {
  sent.add(this.statement)
  return bind.apply(this, values)
}

await import('../docs/answers.test.ts')
await import('../client/every-operation.test.ts')

/** Statements that name no team, and why. */
const EXCEPTIONS: [RegExp, string][] = [
  [/^INSERT INTO team /, 'the team is new'],
  [/passkey\.(credential|id) = \?1/, 'who signs in is found by the passkey, which is of one team'],
  [/sign_in_link\.id = \?1/, 'the link was found by its secret'],
  [/user\.normalized_email = \?1/, 'a proven address signs in to whichever team has it'],
  [/message AS later .+ later\.entry = message\.entry/, 'later attempts of an entry, whose message is bound'],
  [/^SELECT message\.rid AS rid FROM message WHERE message\.rid < /, 'only a row number, where a step of a count ends'],
]

/** Columns with numbers of which each team has a range of its own. */
const OF_RANGE = ['proc', 'plugin', 'webhook']
const KEYS = new Map(
  WALKED_TABLES.map(({ name, team, numbers }) => [
    name,
    [...[team, numbers ?? team].map(each => casing.getColumnCasing(each)), ...OF_RANGE],
  ]),
)
/** The columns to which others refer. */
const REFERRED = ['rid', 'no', 'id']
const MENTION =
  /\b(?:FROM|JOIN|INTO|UPDATE) "(\w+)"(?: (?:AS )?"?((?!SET|WHERE|ON|LEFT|CROSS|JOIN|INDEXED|NOT|GROUP|ORDER|LIMIT)\w+)"?)?/g
const COMPARISON = /(\w+)\.(\w+) (?:=|IS|IN|BETWEEN|>=?) (?:iif\(|\()?(?:(\w+)\.(\w+))?/g

/** The tables of which a statement names no team, as it calls them. */
function findUnbound(text: string): string[] {
  const plain = text.replaceAll(/["+]/g, '')
  const tables = new Map(
    [...text.matchAll(MENTION)].flatMap(([, table = '', alias]) => (KEYS.has(table) ? [[alias ?? table, table]] : [])),
  )
  const compared = [...plain.matchAll(COMPARISON)].flatMap(([, name, column, other, otherColumn]) => [
    { name, column, other },
    ...(other === undefined ? [] : [{ name: other, column: otherColumn, other: name }]),
  ])
  const isGiven = (table: string): boolean =>
    new RegExp(`(INTO ${table} \\([^)]*\\bteam\\b|FROM ${table} WHERE \\(team, )`).test(plain)
  const bound = new Set([...tables].flatMap(([name, table]) => (isGiven(table) ? [name] : [])))
  for (let before = -1; before < bound.size; ) {
    before = bound.size
    for (const { name = '', column = '', other = '' } of compared) {
      const isKey = KEYS.get(tables.get(name) ?? '')?.includes(column)
      const isValue = !tables.has(other)
      if (isKey ? isValue || bound.has(other) : REFERRED.includes(column) && bound.has(other)) bound.add(name)
    }
  }
  return [...tables.keys()].filter(name => !bound.has(name))
}

it('a statement without the team is noticed', () => {
  expect(findUnbound('UPDATE "process" SET "state" = ?1 WHERE "process"."rid" = ?2')).toEqual(['process'])
  expect(findUnbound('DELETE FROM "process" WHERE "process"."rid" = ?1 AND +"process"."proc" = ?2')).toEqual([])
  const joined = 'SELECT 1 FROM "process" JOIN "record" AS customer ON customer.rid = "process"."record" WHERE'
  expect(findUnbound(`${joined} "process"."rid" = ?1`)).toEqual(['process', 'customer'])
  expect(findUnbound(`${joined} "process"."team" = ?1`)).toEqual([])
})

it('each statement names the team of each table, or is an exception that has a reason', () => {
  expect(sent.size).toBeGreaterThan(300)
  const unused = new Set(EXCEPTIONS)
  const unbound = [...sent].flatMap(text => {
    const tables = findUnbound(text)
    const plain = text.replaceAll('"', '')
    const exception = tables.length === 0 ? undefined : EXCEPTIONS.find(([pattern]) => pattern.test(plain))
    if (exception) unused.delete(exception)
    return tables.length === 0 || exception ? [] : [`${tables.join(', ')}: ${text}`]
  })
  expect(unbound).toEqual([])
  expect([...unused]).toEqual([])
})
