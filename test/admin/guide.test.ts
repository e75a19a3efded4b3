import { expect, test } from 'vitest'
import routes from '../../src/admin/routes.tsx?raw'
import { MENU } from '../../src/admin/shell/menu-entries.ts'
import guide from '../../src/docs/guides/admin-area.md?raw'

const paths = [...routes.matchAll(/path: '([^']+)'/g)].map(([, path = '']) => path)

/** Converts an address of the guide into a route: values are parameters. */
const asRoute = (address: string): string =>
  address
    .replace(/^\/admin/, '')
    .replace(/\?.*$/, '')
    .replaceAll(/<[^>]+>/g, '$')

test('every address that the guide of the pages names is one of a page', () => {
  const known = new Set(paths.map(path => path.replaceAll(/\$\w+/g, '$')))
  const named = [...guide.matchAll(/`(\/admin\/[^`]+)`/g)].map(([, address = '']) => address)
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter(address => !known.has(asRoute(address)))).toEqual([])
  for (const [, ending = ''] of guide.matchAll(/`(\/(?:import|send|board|trash))`/g))
    expect(known).toContain(`/procedure/$${ending}`)
})

test('every entry of the menu is in the guide of the pages', () => {
  const labels = MENU.flatMap(({ entries }) => entries.map(({ label }) => label))
  expect(labels.filter(label => !guide.includes(label))).toEqual([])
})
