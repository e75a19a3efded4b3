import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { PlainText } from '../src/db/text-statement.ts'
import { wrangler } from './wrangler.ts'

const literal = (value: string | number | null): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)

/** `wrangler d1 execute` takes SQL as text only, so parameters become literals. Nothing else does this. */
const textOf = ({ sql, params }: PlainText): string =>
  sql.replace(/\?(\d+)/g, (_, n: string) => literal(params[Number(n) - 1] ?? null))

export function execute(statements: PlainText[], where: string[]): void {
  const folder = mkdtempSync(path.join(tmpdir(), 'caseworker-'))
  const file = path.join(folder, 'statements.sql')
  try {
    writeFileSync(file, `${statements.map(textOf).join(';\n')};\n`, { mode: 0o600 })
    wrangler('d1', 'execute', 'DB', ...where, '--yes', '--file', file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export function query<Row>(statement: PlainText, where: string[]): Row[] {
  const printed = wrangler('d1', 'execute', 'DB', ...where, '--yes', '--json', '--command', textOf(statement))
  const [result] = JSON.parse(printed) as { results: Row[] }[]
  return result?.results ?? []
}
