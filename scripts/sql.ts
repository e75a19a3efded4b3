import type { Statement } from '../src/db/statement.ts'

const literal = (value: string | number | null): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)

/** `wrangler d1 execute` takes SQL as text only, so parameters become literals. Nothing else does this. */
export function toText(statement: Statement): string {
  const { text, params } = statement.compile()
  return text.replace(/\?(\d+)/g, (_, number: string) => literal(params[Number(number) - 1] ?? null))
}
