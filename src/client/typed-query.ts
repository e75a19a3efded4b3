import type { Comparison, Query, RelativeTime } from './generated/bodies.ts'
import type { Process } from './generated/shapes.ts'

type NotQueried =
  | 'team'
  | 'procedure'
  | 'procedureShortId'
  | 'record'
  | 'createdBy'
  | 'completedAt'
  | 'data'
  | 'isDeleted'

/** The attributes are not declared: every name is possible. */
export type IsOpen<Data> = string extends keyof Data ? true : false

/** The attributes whose values are of a kind; of those whose type is unknown anything is possible. */
export type NamesWith<Kind, Data> = {
  [Name in keyof Data & string]-?: unknown extends Data[Name]
    ? Name
    : NonNullable<Data[Name]> extends Kind
      ? Name
      : never
}[keyof Data & string]

type Operators = Extract<Comparison, { '='?: unknown }>
/** The elements of a list; text and numbers of an enum, as they are. */
type Compared<Value> = NonNullable<Value> extends readonly (infer Item)[] ? Item : NonNullable<Value>
type Scalar<Value> = Compared<Value> extends string | number | boolean ? Compared<Value> : string | number | boolean
/** A day is text and a time a number or text: an enum or true and false are not relative to anything. */
type Relative<Value> = string extends Scalar<Value> ? RelativeTime : number extends Scalar<Value> ? RelativeTime : never
type Equal<Value> = Scalar<Value> | Relative<Value> | null
type Ordered<Value> = Extract<Scalar<Value>, string | number> | Relative<Value>

/** Parts of texts: of the names of an enum, too. */
type PartOf<Value> = Extract<Value, string> extends never ? never : Parts
type Parts = string | readonly string[]

/** The operators for equality, order and parts of text: `never` where the API refuses them. */
type Comparisons<Equals, Bound, Part> =
  | Equals
  | readonly Equals[]
  | {
      [Operator in keyof Operators]?:
        | (Operator extends '=' | '!='
            ? Equals | readonly Equals[]
            : Operator extends '>' | '>=' | '<' | '<='
              ? Bound
              : Operator extends 'startsWith' | 'contains'
                ? Part
                : Operators[Operator])
        | undefined
    }

/** The operators and values that a value of this type can be compared with. */
export type ComparisonWith<Value> = Comparisons<Equal<Value>, Ordered<Value>, PartOf<Scalar<Value>>>

export type RootField = Exclude<keyof Process, NotQueried>
/** The root fields that are times: they have an order and no parts. */
export type TimeField = { [Field in RootField]: NonNullable<Process[Field]> extends number ? Field : never }[RootField]
type Time = number | string | RelativeTime

/** The fields of a process that a query compares, beside its attributes: `null` only where a process may have none. */
export type QueriedFields<State> = {
  [Field in RootField]: Field extends 'state'
    ? Comparisons<State, never, Parts>
    : Field extends TimeField
      ? Comparisons<Time | Extract<Process[Field], null>, Time, never>
      : Comparisons<Process[Field], never, never>
}

/** The customer of a process: its id, phone number or e-mail address. Lists are not sorted by these. */
export type QueriedRecord = Record<'record' | 'record.phone' | 'record.email', Comparisons<string | null, never, never>>

/** A query by declared attributes: names that are not declared do not compile. */
export type Where<Data, State extends string = string> = IsOpen<Data> extends true ? Query : TypedWhere<Data, State>

type TypedWhere<Data, State extends string> = {
  and?: readonly TypedWhere<Data, State>[] | undefined
  or?: readonly TypedWhere<Data, State>[] | undefined
} & {
  [Name in RootField]?: QueriedFields<State>[Name] | undefined
} & {
  [Name in keyof QueriedRecord]?: QueriedRecord[Name] | undefined
} & {
  [Name in Exclude<keyof Data, RootField>]?: ComparisonWith<Data[Name]> | undefined
}

/** The attributes to sort by, which are no lists; only the definition says which of them are indexed. */
export type SortableName<Data> = NamesWith<string | number | boolean, Data>

/** The order of a list: by fields of a process, by sortable attributes, and with `search` by relevance. */
export interface SortBy<Data, Sortable extends string = SortableName<Data>> {
  field: IsOpen<Data> extends true ? string : RootField | Sortable | 'relevance'
  order?: 'asc' | 'desc' | undefined
}
