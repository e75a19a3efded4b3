import type { Statement } from '../src/db/statement.ts'
import { wrangler } from './wrangler.ts'

const literal = (value: string | number | null): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)

/** `wrangler d1 execute` takes SQL as text only, so parameters become literals. Nothing else does this. */
export function toText(statement: Statement): string {
  const { text, params } = statement.compile()
  return text.replace(/\?(\d+)/g, (_, number: string) => literal(params[Number(number) - 1] ?? null))
}

/** Runs the statements as one command: what wrangler imports from a file stops the database for everybody meanwhile. */
export function execute(statements: Statement[], where: string[]): void {
  wrangler('d1', 'execute', 'DB', ...where, '--yes', '--command', statements.map(toText).join(';\n'))
}

export function query<Row>(statement: Statement<Row>, where: string[]): Row[] {
  const printed = wrangler('d1', 'execute', 'DB', ...where, '--yes', '--json', '--command', toText(statement))
  const [result] = JSON.parse(printed) as { results: Row[] }[]
  return result?.results ?? []
}
