import { countUtf8Bytes, truncateUtf8 } from '../bytes.ts'
import { AppError, type ErrorCode, type Fault, type ReportedFault } from '../errors.ts'
import { addRefused } from '../refusal-text.ts'

/** A stored entry is as large as the body of a single request, with a little more for its address. */
export const ENTRY_BYTES_MAX = 1_100_000

/** What went wrong with an entry: the sentence, and its machine-readable twin, as a single request would have had them. */
export interface Failure {
  code: ErrorCode
  message: string
  errors: ({ code: ErrorCode } & ReportedFault)[]
  /** The process that it is about, where there is one, or was to be one. */
  id?: string
  primaryKey?: string
}

/** An entry as it is stored, without what is the same for all of its job. */
export interface Entry {
  apiType: string
  apiData: Record<string, unknown>
  /** Present if the entry was refused when the job was accepted. */
  invalid?: Failure
}

/** Whether an erasure, or a purge, has emptied it. */
export const isErased = (apiData: object): boolean => Reflect.get(apiData, 'isErased') === true

/** The outcome of an entry that was run. */
export type Outcome =
  | { status: 'SUCCESS'; result: Record<string, unknown> }
  | { status: 'ERROR' | 'INVALID'; result: Failure }

/** What an entry came to that had nothing to change: there is nothing to take back of it. */
export const UNCHANGED = { unchanged: true } as const

/** The outcome with the process that it is about, so that a reader needs no look-up to know which one it was. */
export const withNames = (outcome: Outcome, names: { id?: string; primaryKey: string | null } | undefined): Outcome =>
  names === undefined ? outcome : ({ ...outcome, result: { ...outcome.result, ...getNames(names) } } as Outcome)

/** A process as results name it. */
const getNames = ({ id, primaryKey }: { id?: string; primaryKey: string | null }) => ({
  ...(id === undefined ? {} : { id }),
  // Where a process is to be created, any text may stand where the key should be.
  ...(primaryKey === null || primaryKey.length > PRIMARY_KEY_CHARACTERS_MAX ? {} : { primaryKey }),
})

const PRIMARY_KEY_CHARACTERS_MAX = 1_000
const ERRORS_MAX = 10
/** A stored failure is cut to this size, so that the outcomes of a step fit into few rows. */
const FAILURE_BYTES_MAX = 1_500
const PATH_BYTES_MAX = 300
/** The message where the faults take most of the room. A shorter one says too little: then one fault is told in more words. */
const MESSAGE_BYTES_MAX = 800
const MESSAGE_BYTES_MIN = 200

/** Whoever sends thousands of entries sees by the message which value of theirs it is about. */
export const quoteRefused = (faults: readonly Fault[]): Fault[] =>
  faults.map(fault =>
    fault.refused === undefined ? fault : { ...fault, quoted: addRefused(fault.message, fault.refused) },
  )

/**
 * Where there is no room, the last values are left out, then the last hints, then the end of the message, which says the same
 * as the faults: each of them is named before any has more.
 */
export function toFailure({ code, faults }: Pick<AppError, 'code' | 'faults'>): Failure {
  let [quotes, hints] = [faults.length, faults.length]
  let failure = describeFaults(code, faults, quotes, hints)
  if (isShort(failure)) return failure
  const bare = describeFaults(code, faults, 0, 0)
  if (!isShort(bare)) {
    for (let bytes = MESSAGE_BYTES_MAX; bytes >= MESSAGE_BYTES_MIN; bytes = Math.floor(bytes / 2)) {
      const cut = { ...bare, message: truncateUtf8(bare.message, bytes) }
      if (isShort(cut)) return cut
    }
    return shortened(code, describeFaults(code, faults, 0, hints).message, faults[0]?.path)
  }
  while (!isShort(failure)) {
    if (quotes > 0) quotes--
    else hints--
    failure = describeFaults(code, faults, quotes, hints)
  }
  return failure
}

/** The first faults, as many as `quotes` says, quote the value that was refused, and as many as `hints` have their hint. */
function describeFaults(code: ErrorCode, faults: readonly ReportedFault[], quotes: number, hints: number): Failure {
  const described = faults.map(({ quoted, hint, ...fault }, index) => ({
    ...fault,
    message: index < quotes ? (quoted ?? fault.message) : fault.message,
    ...(hint === undefined || index >= hints ? {} : { hint }),
  }))
  const errors = described.slice(0, ERRORS_MAX).map(({ detail, ...fault }) => ({ code, ...fault, ...detail }))
  return { code, message: described.map(sentence).join('; '), errors }
}

const isShort = (failure: Failure): boolean => countUtf8Bytes(JSON.stringify(failure)) <= FAILURE_BYTES_MAX

/** The message is there twice, and what has to be escaped in JSON takes more than it seems. A place of usual length stays. */
function shortened(code: ErrorCode, message: string, path = ''): Failure {
  const place = path === '' || countUtf8Bytes(JSON.stringify(path)) > PATH_BYTES_MAX ? {} : { path }
  for (let bytes = Math.floor(FAILURE_BYTES_MAX / 3); ; bytes = Math.floor(bytes / 2)) {
    const short = truncateUtf8(message, bytes)
    const failure = { code, message: short, errors: [{ code, message: short, ...place }] }
    if (isShort(failure) || bytes === 0) return failure
  }
}

const sentence = ({ message, hint }: ReportedFault) => (hint === undefined ? message : `${message} (${hint})`)

/** A body that no process could ever take is INVALID; what only the present state of things refuses is an ERROR. */
export const toOutcome = (error: AppError): Outcome => ({
  status: error.code === 'invalid_request' ? 'INVALID' : 'ERROR',
  result: toFailure(error),
})

const ERASED = 'the entry was about a customer who was erased, or a process that was purged'

/** How an entry ends that was not run before it was emptied. */
export const createErasedOutcome = (): Outcome => toOutcome(new AppError('not_found', ERASED))

export const isErasedOutcome = (result: Outcome['result']): boolean => result.message === ERASED
