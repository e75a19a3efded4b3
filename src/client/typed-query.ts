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

/** The fields of a process that a query compares, beside its attributes. Times may also be ISO 8601. */
export type QueriedFields<State> = {
  [Field in Exclude<keyof Process, NotQueried>]: Field extends 'state'
    ? State
    : NonNullable<Process[Field]> extends number
      ? number | string
      : NonNullable<Process[Field]>
}

/** The customer of a process: its id, phone number or e-mail address. Lists are not sorted by these. */
export type QueriedRecord = Record<'record' | 'record.phone' | 'record.email', string>

/** The attributes are not declared: every name is possible. */
type IsOpen<Data> = string extends keyof Data ? true : false

type Operators = Extract<Comparison, { '='?: unknown }>
/** The elements of a list; text and numbers of an enum, as they are. */
type Compared<Value> = NonNullable<Value> extends readonly (infer Item)[] ? Item : NonNullable<Value>
type Scalar<Value> = Compared<Value> extends string | number | boolean ? Compared<Value> : string | number | boolean
/** A day is text and a time a number or text: an enum or true and false are not relative to anything. */
type Relative<Value> = string extends Scalar<Value> ? RelativeTime : number extends Scalar<Value> ? RelativeTime : never
type Equal<Value> = Scalar<Value> | Relative<Value> | null
type Ordered<Value> = Extract<Scalar<Value>, string | number> | Relative<Value>

/** Parts of texts: of the names of an enum, too. */
type PartOf<Value> = Extract<Value, string> extends never ? never : string | readonly string[]

/** What a value of this type is compared with. */
export type ComparisonWith<Value> =
  | Equal<Value>
  | readonly Equal<Value>[]
  | {
      [Operator in keyof Operators]?:
        | (Operator extends '=' | '!='
            ? Equal<Value> | readonly Equal<Value>[]
            : Operator extends '>' | '>=' | '<' | '<='
              ? Ordered<Value>
              : Operator extends 'startsWith' | 'contains'
                ? PartOf<Scalar<Value>>
                : Operators[Operator])
        | undefined
    }

/** A query by declared attributes: names that are not declared do not compile. */
export type Where<Data, State extends string = string> = IsOpen<Data> extends true ? Query : TypedWhere<Data, State>

type TypedWhere<Data, State extends string> = {
  and?: readonly TypedWhere<Data, State>[] | undefined
  or?: readonly TypedWhere<Data, State>[] | undefined
} & { [Name in keyof QueriedFields<State>]?: ComparisonWith<QueriedFields<State>[Name]> | undefined } & {
  [Name in keyof QueriedRecord]?: ComparisonWith<string> | undefined
} & {
  [Name in Exclude<keyof Data, keyof QueriedFields<State>>]?: ComparisonWith<Data[Name]> | undefined
}

/** The order of a list: by fields of a process, by declared attributes, and with `search` by relevance. */
export interface SortBy<Data> {
  field: IsOpen<Data> extends true ? string : keyof QueriedFields<string> | (keyof Data & string) | 'relevance'
  order?: 'asc' | 'desc' | undefined
}
