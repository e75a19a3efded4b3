import type { LoggedRequest } from 'caseworker'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readRequestSearch, toRequestQuery } from '../../src/admin/request/request-search.ts'
import { buildCallerOptions, groupFailures } from '../../src/admin/request/requests.ts'

const KEY = '01935c1e-5a00-7008-9b1c-3d4e5f6a7b8c'

const request = (id: string, operation: string | null, status: number, code: string | null): LoggedRequest => ({
  id,
  operation,
  status,
  code,
  createdAt: 0,
  method: 'GET',
  path: '/',
  faults: [],
  apiKey: null,
  address: null,
  session: null,
  user: KEY,
  ms: 1,
  database: { trips: 1, ms: 1, rowsRead: 1, rowsWritten: 0 },
})

const requests = fc
  .array(
    fc.tuple(
      fc.constantFrom('getProcess', 'createProcess', null),
      fc.constantFrom(400, 404, 500),
      fc.constantFrom('not_found', 'invalid_request', null),
    ),
  )
  .map(all => all.map(([operation, status, code], nth) => request(String(nth), operation, status, code)))

test('each failed request is counted in one kind, the most frequent kind first, with its newest request', () => {
  fc.assert(
    fc.property(requests, all => {
      const kinds = groupFailures(all)
      const counts = kinds.map(({ count }) => count)
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(all.length)
      expect(counts).toEqual(counts.toSorted((one, other) => other - one))
      expect(new Set(kinds.map(({ key }) => key)).size).toBe(kinds.length)
      for (const { operation, status, code, count, latest } of kinds) {
        const ofIt = all.filter(each => each.operation === operation && each.status === status && each.code === code)
        expect(ofIt).toHaveLength(count)
        expect(ofIt[0]).toBe(latest)
      }
    }),
  )
})

test('the filter of requests is read from the address, and malformed parts are ignored', () => {
  expect(readRequestSearch({ failed: true, status: 404, operation: 'getProcess', caller: KEY })).toEqual({
    failed: true,
    status: '404',
    operation: 'getProcess',
    caller: KEY,
  })
  expect(readRequestSearch({ failed: 'true', status: '6xx', operation: '', caller: 'me' })).toEqual({})
  for (const status of ['4xx', '5xx', '200', '503']) expect(readRequestSearch({ status })).toEqual({ status })
  for (const status of ['4x', 'xx', '40', '4040', '1xx', ' 404', null])
    expect(readRequestSearch({ status })).toEqual({})
})

test('requests are requested by users and keys, and by a session where a link named it', () => {
  const users = [{ id: 'u1', name: 'Meera Iyer' }]
  const keys = [{ id: 'k1', name: 'CRM sync' }]
  const named = [
    { value: '', label: 'By anybody' },
    { value: 'u1', label: 'Meera Iyer' },
    { value: 'k1', label: 'Key CRM sync' },
  ]
  for (const chosen of [undefined, 'u1', 'k1']) expect(buildCallerOptions(users, keys, chosen)).toEqual(named)
  expect(buildCallerOptions(users, keys, KEY)[1]).toEqual({ value: KEY, label: 'One session, …5f6a7b8c' })
})

test('an address that was read is written and read alike again, whatever somebody has typed', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('failed', 'status', 'operation', 'caller'), fc.jsonValue()), raw => {
      const search = readRequestSearch(raw)
      expect(readRequestSearch({ ...search })).toEqual(search)
    }),
  )
})

test('the API is asked for failures by a word, and for the rest as in the address', () => {
  expect(toRequestQuery({ failed: true, operation: 'getProcess' })).toEqual({ failed: 'true', operation: 'getProcess' })
  expect(toRequestQuery({ status: '4xx', caller: KEY })).toEqual({ status: '4xx', caller: KEY })
  expect(toRequestQuery({})).toEqual({})
})
