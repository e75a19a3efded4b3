import type { Bindable, Compiled, Statement } from './statement.ts'

type Values = Record<string, Bindable>

/** Of each parameter its value, or the name of the value that is bound there. */
type Template = Compiled<Bindable | { name: string }>
export type StatementsByShape = Map<string, Template>

/** Some 3 KB each. Beyond, the map is emptied. */
const SHAPES_MAX = 300
/** Whole numbers that no statement has otherwise: above every row number, limit and time. */
const STAND_IN_FROM = Number.MAX_SAFE_INTEGER - 100

/**
 * A statement whose text depends on a shape, and on which values are numbers, text or null, but not on the values: it is
 * made once, with others in their place. `prepared` does the same where a builder takes placeholders.
 */
export function statementByShape<Named extends Values, Row>(
  known: StatementsByShape,
  shape: string,
  values: Named,
  make: (values: Named) => Statement<Row>,
): Statement<Row> {
  const { text, params } = known.get(shape) ?? keep(known, shape, templateOf(values, make))
  const fill = (param: Template['params'][number]): Bindable =>
    typeof param === 'object' && param !== null ? (values[param.name] ?? null) : param
  return { compile: () => ({ text, params: params.map(fill) }) }
}

function templateOf<Named extends Values>(values: Named, make: (values: Named) => Statement): Template {
  const places = new Map<Bindable, { name: string }>()
  const standIns = Object.entries(values).map(([name, value], nth) => {
    if (value === null) return [name, null]
    const standIn = typeof value === 'number' ? STAND_IN_FROM + nth : `value ${STAND_IN_FROM + nth}`
    places.set(standIn, { name })
    return [name, standIn]
  })
  const { text, params } = make(Object.fromEntries(standIns)).compile()
  for (const [standIn, { name }] of places) {
    if (!params.includes(standIn)) throw new Error(`the text of a statement depends on the value of ${name}`)
  }
  return { text, params: params.map(param => places.get(param) ?? param) }
}

function keep(known: StatementsByShape, shape: string, made: Template): Template {
  if (known.size >= SHAPES_MAX) known.clear()
  known.set(shape, made)
  return made
}
