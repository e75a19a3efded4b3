import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import type { Reply, Team } from './api.ts'
import { Harness } from './harness.ts'
import { LEADS, newLeadTeam } from './jobs.ts'
import { readText } from './moved-log.ts'
import { attribute } from './procedures.ts'
import { newNumber } from './provider.ts'
import { tablesWith } from './tables-with.ts'

export const RECORD = '/v1/ext/record'
const ROUNDS_MAX = 60

const personal = (shortId: string, type: string, more: object = {}) =>
  attribute(shortId, type, { personal: true, ...more })

/**
 * Attributes of which some are personal, each found in another way: by an index, by words, by elements, and by nothing.
 */
export const ATTRIBUTES = [
  attribute('lead_id', 'string'),
  personal('name', 'string', { indexed: true, searchable: true }),
  personal('phone_number', 'phone', { indexed: true }),
  personal('tags', 'multiString', { indexed: true }),
  personal('about', 'json'),
  personal('address', 'text', { required: false }),
  attribute('city', 'string', { indexed: true, searchable: true }),
  attribute('score', 'integer'),
]

/** A word that stands nowhere else. */
export const word = (text: string) => `${text}${crypto.randomUUID().slice(0, 8)}`

/** A team whose procedure has personal attributes. */
export const personalTeam = (more: object = {}): Promise<Team> =>
  newLeadTeam({ attributes: ATTRIBUTES, phoneAttribute: 'phone_number', ...more })

/** Values of a person that stand nowhere else, by attribute. */
export const somePerson = () => ({
  name: word('Asha'),
  phone_number: newNumber(),
  tags: [word('vegan'), word('deaf')],
  about: { [word('born')]: word('1970') },
  address: word('Hauptstr'),
})
export type Person = ReturnType<typeof somePerson>

/** Every text of a value. */
const textsIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, each]) => [
          ...(Array.isArray(value) || Object.hasOwn(somePerson(), name) ? [] : [name]),
          ...textsIn(each),
        ])
      : []

export const eraseEverywhere = (team: Team, id: string): Promise<Reply> =>
  team.call('DELETE', `${RECORD}/${id}?everywhere=true`)

/** Maintenance tasks go on until nothing is left of an erasure; between any two of them it is asked for once more. */
export async function untilErased(team: Team, id: string, harness = new Harness()): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    await harness.runCron()
    // The queue does the rest.
    for (
      let message = 0;
      message < ROUNDS_MAX && harness.messages.some(({ queue }) => queue === 'maintenance');
      message++
    )
      await harness.deliver()
    const { status } = await eraseEverywhere(team, id)
    if (status === 404) return
    expect(status).toBe(202)
  }
  throw new Error('the erasure never ends')
}

/** The archives of jobs, and of the log, in which one of some texts stands. */
export async function archivesWith(...texts: readonly string[]): Promise<string[]> {
  const keys: string[] = []
  for (const { key } of (await env.ARCHIVE.list()).objects) {
    const object = await readText(key)
    if (texts.some(text => object.includes(text))) keys.push(key)
  }
  return keys
}

/** FTS5 keeps a word in its blocks until it merges them, although it leads to no row any more. */
const isOfSearch = (table: string) => table.startsWith('process_search')

/** Expects that no table and no archive has one of these texts. */
export async function expectNothingLeft(...values: unknown[]): Promise<void> {
  const texts = textsIn(values)
  const tables = (await tablesWith(...texts)).filter(table => !isOfSearch(table))
  expect([texts, tables, await archivesWith(...texts)]).toEqual([texts, [], []])
}

export const createLead = async (team: Team, data: object, more: object = {}) => {
  const made = await team.call('POST', LEADS, { data, ...more })
  expect(made.errors).toEqual([])
  return made.data
}
