import type { Call, CallOptions } from './call/call.ts'
import type { ListRequestsQuery } from './generated/bodies.ts'
import type { LoggedRequest } from './generated/shapes.ts'
import { type Paging, paginate } from './pages.ts'

type RequestFilter = Pick<ListRequestsQuery, 'status' | 'operation' | 'caller' | 'failed'>

/** The log of the team's requests: which operation, by whom, and how it ended. */
export const createRequestsClient = (call: Call) => ({
  /** Returns a request by its `x-request-id`. */
  get: async (id: string, options?: CallOptions) =>
    (await call('getRequest', { path: { requestId: id } }, options)).data,
  /** Newest first. */
  list: ({ status, operation, caller, failed, ...paging }: RequestFilter & Paging = {}, options?: CallOptions) =>
    paginate<LoggedRequest>(paging, (limit, cursor) =>
      call('listRequests', { query: { status, operation, caller, failed, limit, cursor } }, options),
    ),
})

/** Returns the team's usage of a month such as 2026-11, with its cost. */
export const createUsageClient = (call: Call) => async (month?: string, options?: CallOptions) =>
  (await call('getUsage', { query: { month } }, options)).data
