import {
  Column,
  getTableName,
  is,
  Name,
  Param,
  Placeholder,
  SQL,
  type SQLWrapper,
  StringChunk,
  sql,
  Table,
} from 'drizzle-orm'
import { CasingCache } from 'drizzle-orm/casing'
import type { Bindable, CompiledStatement } from './statement.ts'

type CompiledText = CompiledStatement<Bindable | Placeholder>

/** The number of values that D1 binds to one statement. */
const PARAMETERS_MAX = 100

/** Compiles a statement to text. If it has more values than D1 binds, they are sent as one JSON text, from which each place reads its own. */
export function compile(query: SQLWrapper): CompiledText {
  const bound = numberParameters(query, number => `?${number}`)
  if (bound.params.length <= PARAMETERS_MAX) return bound
  const { text, params } = numberParameters(query, number => `(?1->>${number - 1})`)
  return { text, params: [JSON.stringify(params)] }
}

/** Numbers the parameters. Equal values share a number: a document that is used twenty times is bound once. */
function numberParameters(query: SQLWrapper, getPlace: (number: number) => string): CompiledText {
  const [values, placeholders] = [new Map<unknown, number>(), new Map<unknown, number>()]
  const params: (Bindable | Placeholder)[] = []
  const bind = (value: unknown): string => {
    const [numbers, key] = is(value, Placeholder) ? [placeholders, value.name] : [values, value]
    const known = numbers.get(key)
    if (known !== undefined) return getPlace(known)
    params.push(toBindable(value))
    numbers.set(key, params.length)
    return getPlace(params.length)
  }
  const parts: string[] = []
  write(query.getSQL(), bind, parts)
  return { text: parts.join(''), params }
}

function toBindable(value: unknown): Bindable | Placeholder {
  if (value === null || typeof value === 'string' || typeof value === 'number' || is(value, Placeholder)) return value
  if (typeof value === 'boolean') return value ? 1 : 0
  throw new TypeError(`a statement cannot bind a value of type ${typeof value}`)
}

/** Writes the text of a chunk. Drizzle's own `toQuery` takes ten times the CPU, and is used only for chunks that this function cannot compile. */
function write(chunk: unknown, bind: (value: unknown) => string, parts: string[]): void {
  if (typeof chunk !== 'object' || chunk === null) {
    if (chunk !== undefined) parts.push(bind(chunk))
  } else if (chunk instanceof StringChunk) {
    for (const text of chunk.value) parts.push(text)
  } else if (chunk instanceof SQL) {
    for (const each of chunk.queryChunks) write(each, bind, parts)
  } else if (chunk instanceof Column) parts.push(getQualifiedName(chunk))
  else if (chunk instanceof Name) parts.push(quoted(chunk.value))
  else if (chunk instanceof Placeholder) parts.push(bind(chunk))
  else if (chunk instanceof Table) parts.push(quoted(getTableName(chunk)))
  else parts.push(writeByDrizzle(chunk, bind))
}

export const casing = new CasingCache('snake_case')
const quoted = (name: string): string => `"${name}"`

const qualifiedNames = new WeakMap<Column, string>()

function getQualifiedName(column: Column): string {
  const known = qualifiedNames.get(column)
  if (known !== undefined) return known
  const name = `${quoted(getTableName(column.table))}.${quoted(casing.getColumnCasing(column))}`
  qualifiedNames.set(column, name)
  return name
}

const writeByDrizzle = (chunk: object, bind: (value: unknown) => string): string =>
  sql`${chunk}`.toQuery({
    casing,
    escapeName: quoted,
    escapeString: value => `'${value.replaceAll("'", "''")}'`,
    escapeParam: (_, value: unknown) => bind(is(value, Param) ? value.value : value),
  }).sql
