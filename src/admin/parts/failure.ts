import { CaseworkerError, type Fault } from 'caseworker'

export interface Failure {
  title: string
  hint: string | undefined
  /** Asked again, it would be refused again. */
  isFinal: boolean
  requestId: string | undefined
  faults: readonly Fault[]
}

const NOBODY_ANSWERED = 'No answer from Caseworker: check the connection, then try again'
const OURS = 'Caseworker could not do this: the fault is on its side'
const MAYBE_DONE = 'No answer from Caseworker: it is not known whether this was done'
const ASK_AN_ADMIN = 'An admin of your team can give you a role that may do this: see Users'
const REPEATABLE = 'Check the connection, and try again as it stands: what was done is not done twice'
const REPEATABLE_LATER = 'Try again as it stands: what was done is not done twice'

/** Failures of changes that are sent again under their idempotency key. */
const repeatable = new WeakSet<Error>()
export const markRepeatable = (error: Error): void => void repeatable.add(error)

/** Formats a fault: as the API says it, if a page has no better words. */
type Words = (fault: Fault) => string
const asSaid: Words = ({ message }) => message

/** Converts an error for the reader: the API's own sentences, its hint, and the id that support asks for. */
export function toFailure(error: unknown, words = asSaid): Failure {
  if (!(error instanceof CaseworkerError)) {
    return {
      title: error instanceof Error ? error.message : String(error),
      hint: undefined,
      isFinal: false,
      requestId: undefined,
      faults: [],
    }
  }
  const { errors, requestId, status, code } = error
  const said = errors.map(words).join('; ')
  const isRepeatable = repeatable.has(error)
  const ask = code === 'permission_denied' ? ASK_AN_ADMIN : undefined
  const isUnanswered = code === 'no_response'
  const title = isUnanswered ? (isRepeatable ? MAYBE_DONE : NOBODY_ANSWERED) : status === 500 ? OURS : said || code
  const ours = isRepeatable && (isUnanswered ? REPEATABLE : status === 500 ? REPEATABLE_LATER : undefined)
  return {
    title: title.charAt(0).toUpperCase() + title.slice(1),
    hint: ours || ask || errors.find(({ hint }) => hint)?.hint,
    isFinal: code === 'permission_denied' || code === 'not_found',
    requestId,
    faults: errors,
  }
}

const isWithin = ({ path }: Fault, field: string): boolean => path === field || path?.startsWith(`${field}/`) === true

/** Returns the error of one field of a form by its path in the request, as `/body/name`. With `isExact`, errors within the field are left out. */
export function faultAt(error: unknown, path: string, isExact = false, words = asSaid): string | undefined {
  const fault = toFailure(error).faults.find(each => (isExact ? each.path === path : isWithin(each, path)))
  return fault && [words(fault), fault.hint].filter(Boolean).join('. ')
}

/**
 * Returns whether every fault is shown at one of these fields: then the form shows nothing of the error beside them.
 */
export function isShownAt(error: unknown, fields: readonly string[]): boolean {
  const { faults } = toFailure(error)
  return faults.length > 0 && faults.every(fault => fields.some(field => isWithin(fault, field)))
}

export const isCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof CaseworkerError && codes.includes(error.code)
