/// <reference types="vite/types/importMeta.d.ts" />
import { expect, it } from 'vitest'
import running from '../../src/docs/guides/running.md?raw'
import wrangler from '../../wrangler.toml?raw'

const vars = /^\[vars\]$([\s\S]*?)^\[/m.exec(wrangler)?.[1] ?? ''

/** Each setting, with its default where that is a text. */
const SETTINGS = [...vars.matchAll(/^([A-Z_]+) = (?:"(.*)"|\{.*\})$/gm)].map(([, name = '', text]) => ({ name, text }))

const rows = (/^## Settings$([\s\S]*?)^## /m.exec(running)?.[1] ?? '')
  .split('\n')
  .flatMap(line => (line.startsWith('| `') ? [line.split(' | ').map(cell => cell.replace(/^\| /, ''))] : []))
const listed = rows.flatMap(([names = '', defaults = '']) =>
  names.split(', ').map((name, nth) => [name.replaceAll('`', ''), defaults.split(', ')[nth] ?? ''] as const),
)

it('the guide lists each setting once, with its default', () => {
  expect(SETTINGS.length).toBeGreaterThan(25)
  expect(listed.map(([name]) => name).sort()).toEqual(SETTINGS.map(({ name }) => name).sort())
  const defaults = new Map(listed)
  for (const { name, text } of SETTINGS)
    if (text !== undefined) expect([name, defaults.get(name)]).toEqual([name, text === '' ? 'empty' : `\`${text}\``])
})
