import { describe, expect, it } from 'vitest'
import { TAGS } from '../../src/docs/about.ts'
import { ROUTE_DOCS, documentedRoutes as routes } from '../../src/docs/documented-routes.ts'
import { explainError } from '../../src/docs/errors.ts'
import { ERROR_CODES } from '../../src/errors.ts'
import { listErrorCodes } from '../../src/http/openapi/document.ts'
import { request } from '../support/api.ts'
import { document, expectDocumented, misfits, type Operation, operations } from '../support/document.ts'

/** The length of one line of the menu. */
const TITLE_CHARACTERS_MAX = 29

const getName = ({ method, path }: { method: string; path: string }) => `${method.toUpperCase()} ${path}`

describe('the OpenAPI document', () => {
  it('is served as it is made from the routes', async () => {
    const { status, headers } = await request('HEAD', '/openapi.json')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toContain('application/json')
  })

  it('describes every route', () => {
    expect(Object.keys(ROUTE_DOCS).sort()).toEqual(routes.map(({ id }) => id).sort())
    const described = operations.map(({ method, path }) => getName({ method, path: path.replace(/\{(\w+)\}/g, ':$1') }))
    expect(described.sort()).toEqual(routes.map(getName).sort())
  })

  it('gives every route a name of its own, a known group, a summary and a description', () => {
    const ids = routes.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { id, docs, summary } of routes) {
      expect(id).toMatch(/^[a-z][A-Za-z0-9]+$/)
      expect(TAGS.map(({ name }) => name)).toContain(docs.tag)
      expect(summary).toMatch(/^[A-Z].*[^.]$/)
      expect(docs.description).toMatch(/\S{2}/)
    }
  })

  it('gives every route a title that is short, and no other has', () => {
    const titles = routes.map(({ summary }) => summary)
    expect(titles.filter(title => title.length > TITLE_CHARACTERS_MAX)).toEqual([])
    expect(titles.filter((title, at) => titles.indexOf(title) !== at)).toEqual([])
    // An operation that exists in two versions names its own.
    const newer = routes.filter(({ path }) => path.startsWith('/v2/'))
    expect(newer.length).toBeGreaterThan(1)
    for (const { path, summary, method } of newer) {
      const first = routes.find(other => other.method === method && other.path === path.replace('/v2/', '/v1/'))
      expect(summary).toMatch(/ \(v2\)$/)
      expect(first?.summary).toBe(summary.replace('(v2)', '(v1)'))
    }
  })

  it('gives every route with a body a real example of it', () => {
    const lacking = routes.filter(({ body, docs }) => (body ?? docs.body) !== undefined && docs.example === undefined)
    expect(lacking.map(getName)).toEqual([])
  })

  it('shows examples that its own schemas accept', () => {
    const all = operations.flatMap(({ operation }) => getExamples(operation))
    expect(all.length).toBeGreaterThan(routes.length)
    expect(
      all.flatMap(({ name, schema, example }) => misfits(name, schema, example).map(each => `${name} ${each}`)),
    ).toEqual([])
  })

  it('shows examples that the routes themselves accept', () => {
    for (const { body, docs, path } of routes)
      if (body !== undefined) expect(body.safeParse(docs.example).error, path).toBeUndefined()
  })

  it('says of every success what it holds, with an example', () => {
    const bare = routes.flatMap(spec =>
      Object.entries(spec.docs.responses ?? {})
        .filter(([status, answer]) => status !== '304' && !answer?.example && !answer?.content)
        .map(([status]) => `${getName(spec)} ${status}`),
    )
    expect(bare).toEqual([])
  })

  it('explains every error code: cause, remedy, example', () => {
    for (const code of ERROR_CODES) {
      const { title, cause, remedy, example } = explainError(code)
      for (const text of [title, cause, remedy, example.message]) expect(text.length, code).toBeGreaterThan(5)
    }
    expect(document['x-error-codes'].map(({ code }) => code)).toEqual([...ERROR_CODES])
  })

  it('lets every error that needs waiting say how long', () => {
    for (const code of ERROR_CODES)
      if (explainError(code).retry === 'yes') expect(explainError(code).headers, code).toContain('Retry-After')
  })

  it('derives from the permission, the body and the method what else can go wrong', () => {
    for (const spec of routes) {
      const codes = listErrorCodes(spec)
      expect(codes, getName(spec)).toContain('internal_error')
      if (spec.permission !== null)
        expect(codes).toEqual(expect.arrayContaining(['unauthenticated', 'permission_denied']))
      if (spec.body !== undefined)
        expect(codes).toEqual(expect.arrayContaining(['malformed_json', 'request_too_large']))
    }
  })
})

function getExamples({ operationId, requestBody, responses, parameters = [] }: Operation) {
  const bodies = Object.entries(requestBody?.content ?? {}).map(([type, { schema, example }]) => ({
    name: `${operationId} body ${type}`,
    schema,
    example,
  }))
  const answers = Object.entries(responses).flatMap(([status, { content = {} }]) =>
    Object.entries(content as Record<string, { schema: unknown; example?: unknown }>)
      .filter(([type, { example }]) => type === 'application/json' && example !== undefined)
      .map(([, { schema, example }]) => ({ name: `${operationId} ${status} example`, schema, example })),
  )
  const inAddress = parameters
    .filter(({ example }) => example !== undefined)
    .map(({ name, schema, example }) => ({ name: `${operationId} ${name}`, schema, example }))
  return [...bodies, ...answers, ...inAddress]
}

describe('the check of responses against the document', () => {
  const lists = operations.find(({ operation }) => operation.operationId === 'listUsers')?.operation.responses['200']
  const media = Object.values(lists?.content ?? {})[0] as { schema: unknown; example: { _data: object[] } }

  it('finds a member that is not documented, and one that is missing', () => {
    const [user] = media.example._data
    expect(misfits('users', media.schema, { ...media.example, _data: [{ ...user, shoeSize: 43 }] })).not.toEqual([])
    expect(misfits('users', media.schema, { ...media.example, _data: [{}] })).not.toEqual([])
    expect(misfits('users', media.schema, media.example)).toEqual([])
  })

  it('finds a route, a status and a header that are not documented', () => {
    const answer = (status: number, headers = {}) =>
      new Response('{}', { status, headers: { 'content-type': 'application/json', ...headers } })
    expect(() => expectDocumented('GET', '/v1/ext/nowhere', answer(200), '{}')).toThrow('no route of the document')
    expect(() => expectDocumented('GET', '/v1/health', answer(418), '{}')).toThrow('has no 418')
    expect(() => expectDocumented('GET', '/v1/health', answer(200, { etag: '"1"' }), '{}')).toThrow(
      'undocumented header',
    )
    expect(() => expectDocumented('GET', '/v1/health', answer(200), '{}')).toThrow('_data')
  })
})
