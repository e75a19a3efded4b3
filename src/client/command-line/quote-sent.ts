import { addRefused, splitRefused } from '../../refusal-text.ts'
import { CaseworkerError } from '../client.ts'

/** The value at a JSON Pointer such as `/body/data/score`. */
function findSent(body: unknown, path: string): unknown {
  const [, part, ...names] = path.split('/').map(each => each.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (part !== 'body') return undefined
  return names.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined,
    body,
  )
}

/** An error that says what a value must be also says what it was, as those of entries do: `must be a number, not "high"`. */
export function quoteSent(error: unknown, body: object): unknown {
  if (!(error instanceof CaseworkerError)) return error
  const errors = error.errors.map(fault => {
    const sent = fault.path === undefined ? undefined : findSent(body, fault.path)
    const isPlain = typeof sent === 'string' || typeof sent === 'number' || typeof sent === 'boolean'
    const isAboutValue = fault.message.includes(' must be ') && splitRefused(fault.message) === undefined
    return isPlain && isAboutValue ? { ...fault, message: addRefused(fault.message, sent) } : fault
  })
  const { code, status, operation, requestId, retryAfterMs, tries } = error
  const quoted = new CaseworkerError({ code, status, errors, operation, requestId, retryAfterMs, cause: error })
  return Object.assign(quoted, { tries })
}
