import { expect } from 'vitest'
import type { Team } from './api.ts'

// What a process is must be what its history tells: nobody who follows its events may know another one than the API shows.

type Values = Record<string, unknown>
export interface ShownProcess extends Values {
  data: Values
  record: { id: string; data: Values } | null
}
export interface PastChange {
  version: number
  type: string
  at: number
  by: Values
  forced?: boolean
  sequence: number
  changes: { field: string; from: unknown; to: unknown }[]
}

/** The history of a process, newest first, by pages of a few. */
export async function listPast(team: Team, path: string, limit = 3): Promise<PastChange[]> {
  const entries: PastChange[] = []
  for (let cursor = ''; ; ) {
    const page = await team.call('GET', `${path}/history?limit=${limit}${cursor}`)
    expect(page.status, page.errors.join()).toBe(200)
    entries.push(...page.data)
    if (page.meta.next === null) return entries
    cursor = `&cursor=${page.meta.next}`
  }
}

/** The values of a process by the names that its history has for them. */
export const listPastValues = (process: ShownProcess): Values => ({
  status: process.status,
  state: process.state,
  nextActionAt: process.nextActionAt,
  assignedTo: process.assignedTo,
  record: process.record?.id ?? null,
  ...Object.fromEntries(Object.entries(process.data).map(([name, each]) => [`data.${name}`, each])),
})

/** Puts back what a change says was before, and expects that what it says came after is there. */
export function goBack(values: Values, { changes }: Pick<PastChange, 'changes'>): void {
  for (const { field, from, to } of changes) {
    expect(values[field] ?? null, field).toEqual(to)
    values[field] = from
  }
}

/** Expects that a process is what its changes have made of it, from its creation on. */
export async function expectPast(team: Team, path: string): Promise<void> {
  const { status, data } = await team.call('GET', path)
  expect(status).toBe(200)
  const values = listPastValues(data)
  // What its customer is, is told of the customer as well, and may be of before the process.
  const ofProcess = (field: string) => !field.startsWith('record.')
  for (const { type, changes } of await listPast(team, path, 100))
    if (type !== 'record.updated') goBack(values, { changes: changes.filter(({ field }) => ofProcess(field)) })
  expect(Object.entries(values).filter(([, each]) => each !== null)).toEqual([])
}
