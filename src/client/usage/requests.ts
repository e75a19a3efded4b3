import type { Call, CallOptions } from '../call/call.ts'
import type { ListRequestsQuery } from '../generated/bodies.ts'
import type { LoggedRequest } from '../generated/shapes.ts'
import { type Paging, pagesOf } from '../pages.ts'

type RequestFilter = Pick<ListRequestsQuery, 'status' | 'operation' | 'caller' | 'failed'>

/** What was asked, by whom, and how it went. */
export const requestsOf = (call: Call) => ({
  /** By `x-request-id`. */
  get: async (id: string, options?: CallOptions) =>
    (await call('getRequest', { path: { requestId: id } }, options)).data,
  /** Newest first. */
  list: ({ status, operation, caller, failed, ...paging }: RequestFilter & Paging = {}, options?: CallOptions) =>
    pagesOf<LoggedRequest, string>(paging, async (limit, cursor) => {
      const query = { status, operation, caller, failed, limit, cursor }
      const { data, meta } = await call('listRequests', { query }, options)
      return { items: data, next: meta.next ?? undefined }
    }),
})

/** What the team used in a month, as 2026-11, and what that costs. */
export const monthlyUsageOf = (call: Call) => async (month?: string, options?: CallOptions) =>
  (await call('getUsage', { query: { month } }, options)).data
