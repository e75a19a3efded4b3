import { expect, it } from 'vitest'
import { about } from '../../src/docs/about.ts'
import { buildPostmanCollection } from '../../src/docs/postman.ts'
import { readReference } from '../../src/docs/reference/document.ts'
import { document, operations } from '../support/document.ts'

const collection = buildPostmanCollection(readReference(document).operations, about)
const items = collection.item.flatMap(({ item }) => item)
const getItem = (id: string) => items.find(each => each.id === id)

it('the Postman collection has each operation once, in the folders of the reference', () => {
  expect(items.map(({ id }) => id).sort()).toEqual(operations.map(({ operation }) => operation.operationId).sort())
  expect(collection.item.map(({ name }) => name)).toEqual(about.tags.map(({ name }) => name))
})

it('the Postman collection takes the address and the token from variables', () => {
  expect(collection.variable[0]).toMatchObject({ key: 'baseUrl', value: about.server })
  expect(collection.auth.bearer).toEqual([{ key: 'token', value: '{{token}}', type: 'string' }])
})

it('the Postman collection sends the example of the document, to an id that an earlier response had', () => {
  const { request, event } = getItem('updateProcessById') ?? {}
  expect(JSON.parse(request?.body && 'raw' in request.body ? request.body.raw : '')).toEqual({
    state: 'CONTACTED',
    data: { score: 85 },
  })
  expect(request?.url.raw).toBe('{{baseUrl}}/v1/ext/procedure/:procedureShortId/process/:processId')
  expect(request?.url.variable?.map(({ key, value }) => [key, value])).toEqual([
    ['procedureShortId', 'lead'],
    ['processId', '{{processId}}'],
  ])
  expect(event?.[0]?.script.exec.at(-1)).toContain("set('processId', found.id)")
})

it('the Postman collection has a variable for each id in a path', () => {
  const UUID = /^[0-9a-f]{8}-/
  const fixed = items.flatMap(({ id, request }) =>
    (request.url.variable ?? []).filter(({ value }) => UUID.test(value)).map(({ key }) => `${id} ${key}`),
  )
  expect(fixed).toEqual(['getMedia team', 'getMedia file'])
})

it('the Postman collection has headers and query parameters without an example switched off, and sends no made-up idempotency key', () => {
  for (const { id, request } of items) {
    for (const header of request.header)
      expect('disabled' in header || header.key === 'Content-Type', `${id} ${header.key}`).toBe(true)
    for (const each of request.url.query ?? []) expect('disabled' in each, `${id} ${each.key}`).toBe(each.value === '')
  }
  expect(JSON.stringify(collection)).not.toContain('{{$')
})

it('the Postman collection creates before it reads, and restores after it deletes', () => {
  const folder = collection.item.find(({ name }) => name === 'Processes')?.item.map(({ id }) => id) ?? []
  const order = ['createProcess', 'getProcessById', 'updateProcessById', 'deleteProcessById', 'restoreProcess']
  expect(order.map(id => folder.indexOf(id))).toEqual(order.map(id => folder.indexOf(id)).sort((a, b) => a - b))
  expect(folder.at(-1)).toBe('restoreProcess')
})

it('the Postman collection sends what needs no token without one', () => {
  expect(getItem('getMedia')?.request).toMatchObject({ auth: { type: 'noauth' } })
  expect(getItem('getMe')?.request).not.toHaveProperty('auth')
})
