import { expect, it } from 'vitest'
import { routes } from '../../src/app.ts'
import wrangler from '../../wrangler.toml?raw'

const patterns = (/^run_worker_first = \[(.*)\]$/m.exec(wrangler)?.[1] ?? '')
  .split(',')
  .map(each => each.trim().slice(1, -2))

it('is passed by every route of the API: no file is looked for first', () => {
  expect(routes.length).toBeGreaterThan(30)
  const others = routes.filter(({ path }) => !patterns.some(prefix => path.startsWith(prefix)))
  expect(others.map(({ path }) => path)).toEqual([])
})

it('lists no prefix that has no route, but the pages of the admin area', () => {
  const others = patterns.filter(prefix => !routes.some(({ path }) => path.startsWith(prefix)))
  expect(wrangler).toContain('"/admin", "/admin/*", "!/admin/assets/*"]')
  expect(others).toEqual(['/admi', '/admin/', '!/admin/assets/'])
})
