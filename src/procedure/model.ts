/** The attribute types, and the kind of a stored value of each. A time may be text or a number, as it was sent. */
export const ATTRIBUTE_TYPES = {
  string: 'text',
  text: 'text',
  name: 'text',
  email: 'text',
  phone: 'text',
  url: 'text',
  datetimeISO8601: 'text',
  stringEnum: 'text',
  user: 'text',
  integer: 'number',
  float: 'number',
  datetime: 'number',
  integerEnum: 'number',
  floatEnum: 'number',
  boolean: 'boolean',
  date: 'text',
  time: 'moment',
  multiString: 'list',
  multiStringEnum: 'list',
  multiIntegerEnum: 'list',
  multiFloatEnum: 'list',
  geolocation: 'document',
  json: 'document',
  photo: 'text',
  multiPhoto: 'list',
} as const satisfies Record<string, 'text' | 'number' | 'boolean' | 'moment' | 'list' | 'document'>

/** The words that a cell of a file may have for true and false. Elsewhere such a word is refused, with what it means as a suggestion. */
export const TRUTHS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', '1'].map(word => [word, true] as const),
  ...['false', 'no', '0'].map(word => [word, false] as const),
])

export type AttributeType = keyof typeof ATTRIBUTE_TYPES
export type ValueKind = (typeof ATTRIBUTE_TYPES)[AttributeType]

export interface Attribute {
  shortId: string
  name: string
  type: AttributeType
  required: boolean
  indexed: boolean
  /** Whether `search` finds its words. */
  searchable?: boolean
  /** Whether its values are the customer's. An erasure of the customer everywhere empties it. */
  personal?: boolean
  values?: (string | number)[]
}

export interface State {
  shortId: string
  name: string
  /** The states that may follow. If absent, every state may. */
  next?: string[]
  /** The status of a process that comes here. It is open again when it leaves for a state without one. */
  status?: FinalStatus
  /** Whether a process can be created here. Only `false` is stored. */
  startsHere?: false
}

/** The column of `process` that serves an indexed attribute. Until `ready`, it is written but no query uses it. */
export interface Slot {
  column: number
  ready: boolean
  /**
   * The path of a list in a document. Its elements are rows of `process_value`, under the number of the column. The column
   * itself is null, unless code that does not know of this has written the list there.
   */
  listPath?: string
}

export interface Definition {
  name: string
  states: State[]
  startState: string
  completedState: string
  attributes: Attribute[]
  primaryKey: string | null
  phoneAttribute: string | null
  strict: boolean
}

export interface Procedure extends Definition {
  no: number
  id: string
  shortId: string
  version: number
  createdAt: number
  updatedAt: number
  /** The slots, by attribute short id. */
  slots: Record<string, Slot>
  wordsReady?: boolean
}

/** A definition as it is stored: what the caller sent, and the columns of its attributes. */
export interface StoredDefinition extends Definition {
  /** Whether the words of all processes are in the index, so that `search` is possible. */
  wordsReady?: boolean
  slots: Record<string, Slot>
  clearing: number[]
  /** Which process has a value that no index takes, for an indexed attribute without a slot. None is built until it is put right. */
  unfitProcesses?: Record<string, number>
}

export interface ProcedureRow extends Procedure {
  clearing: number[]
  unfitProcesses?: Record<string, number>
  indexingBelow: number | null
  unfitSlots: number
}

/** The length of an indexed text. A longer one is refused for an indexed attribute. */
export const INDEXED_TEXT_LENGTH_MAX = 1_000
/** The length of an indexed list, each element of which is a row. A longer one is refused for an indexed attribute. */
export const INDEXED_LIST_LENGTH_MAX = 100

/** Names that a query or a body uses for something else. */
export const ROOT_FIELDS = ['id', 'status', 'state', 'assignedTo', 'createdAt', 'updatedAt', 'nextActionAt'] as const
export type RootField = (typeof ROOT_FIELDS)[number]

export const STATUSES = ['CANCELLED', 'COMPLETED', 'OPEN'] as const
export type Status = (typeof STATUSES)[number]
export const FINAL_STATUSES = ['COMPLETED', 'CANCELLED'] as const satisfies readonly Status[]
type FinalStatus = (typeof FINAL_STATUSES)[number]
