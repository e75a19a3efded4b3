import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { getDurableObject } from '../src/durable-objects.ts'
import { listSettingsProblems } from '../src/settings.ts'

const sources = import.meta.glob<string>('../src/**/*.ts', { query: '?raw', import: 'default', eager: true })

/** What an object is asked for with. */
function askedFor(location: string): unknown[] {
  const asked: unknown[] = []
  const namespace = { idFromName: (name: string) => `id of ${name}`, get: (...args: unknown[]) => asked.push(...args) }
  getDurableObject({ TEAM_BUDGET: namespace as unknown as Env['TEAM_BUDGET'], LOCATION: location }, 'TEAM_BUDGET', '7')
  return asked
}

it('objects are made where the database is, and on this machine wherever they are asked for', () => {
  expect(askedFor('apac')).toEqual(['id of 7', { locationHint: 'apac' }])
  expect(askedFor('')).toEqual(['id of 7'])
})

it('no other code asks for an object', () => {
  const others = Object.entries(sources).filter(([, text]) => text.includes('.idFromName('))
  expect(others.map(([path]) => path)).toEqual(['../src/durable-objects.ts'])
})

it('an unknown location is reported as a wrong setting', () => {
  expect(listSettingsProblems({ ...env, LOCATION: 'mars' } as unknown as Env).join()).toMatch(
    /LOCATION must be one of wnam/,
  )
  expect(listSettingsProblems({ ...env })).toEqual([])
})
