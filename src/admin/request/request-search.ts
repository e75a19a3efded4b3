import type { ListRequestsQuery } from 'caseworker'

/** The filter of the list of requests, from the address. */
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

/** Parses the filter of an address. Mistyped parts are ignored. */
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
