import type { ListRequestsQuery } from 'caseworker'

/** Which requests the address asks for. */
export interface RequestSearch {
  failed?: true
  /** A status, or a class of them: `4xx`. */
  status?: string
  operation?: string
  /** The id of a key, a session or a user. */
  caller?: string
}

const STATUS = /^[2345](xx|\d\d)$/
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** What does not fit is left out: an address may be mistyped. */
export function readRequestSearch({ failed, status, operation, caller }: Record<string, unknown>): RequestSearch {
  return {
    ...(failed === true ? { failed } : {}),
    ...(STATUS.test(String(status)) ? { status: String(status) } : {}),
    ...(typeof operation === 'string' && operation !== '' ? { operation } : {}),
    ...(typeof caller === 'string' && UUID.test(caller) ? { caller } : {}),
  }
}

export const toRequestQuery = ({ failed, ...rest }: RequestSearch): ListRequestsQuery => ({
  ...rest,
  ...(failed ? { failed: 'true' } : {}),
})
