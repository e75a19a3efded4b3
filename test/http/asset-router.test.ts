import { expect, it } from 'vitest'
import { routes } from '../../src/app.ts'
import { DOCUMENTS } from '../../src/http/documentation.ts'
import wrangler from '../../wrangler.toml?raw'

const patterns = (/^run_worker_first = \[(.*)\]$/m.exec(wrangler)?.[1] ?? '')
  .split(',')
  .map(pattern => pattern.trim().slice(1, -1))
const isPassedBy = (pattern: string, path: string) =>
  pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern

it('the routes of the API run before the files: no file is looked for first', () => {
  expect(routes.length).toBeGreaterThan(30)
  const others = [...routes, ...DOCUMENTS].filter(({ path }) => !patterns.some(pattern => isPassedBy(pattern, path)))
  expect(others.map(({ path }) => path)).toEqual([])
})

it('the routes of the API list no prefix without a route, except the pages', () => {
  const others = patterns.filter(pattern => ![...routes, ...DOCUMENTS].some(({ path }) => isPassedBy(pattern, path)))
  expect(others).toEqual(['/admin', '/admin/*', '!/admin/assets/*'])
})
