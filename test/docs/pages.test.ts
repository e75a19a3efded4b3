/// <reference types="vite/types/importMeta.d.ts" />
import { describe, expect, it } from 'vitest'
import changelog from '../../CHANGELOG.md?raw'
import licence from '../../LICENSE?raw'
import security from '../../SECURITY.md?raw'
import { about } from '../../src/docs/about.ts'
import { documentedRoutes } from '../../src/docs/documented-routes.ts'
import { escapeHtml, renderInline, renderMarkdown, toPlainText } from '../../src/docs/markup.ts'
import { find } from '../../src/docs/site/docs/find.js'
import { GUIDES, renderSite, type Texts } from '../../src/docs/site.ts'
import { ERROR_CODES } from '../../src/errors.ts'
import { EVENT_TYPES } from '../../src/event-types.ts'
import { document } from '../support/document.ts'

// The pages as the build renders them. `test/docs.check.ts` reads them in a browser, from a server.

const sources = import.meta.glob<string>('../../src/docs/guides/*.md', {
  query: '?raw',
  import: 'default',
  eager: true,
})
const guides = Object.fromEntries(
  Object.entries(sources).map(([file, text]) => [/([\w-]+)\.md$/.exec(file)?.[1], text]),
) as Texts['guides']
const site = renderSite(documentedRoutes, { guides, changelog, security, licence })

const read = (path: string): string => {
  const html = site.get(`${path}.html`)
  if (html === undefined) throw new Error(`there is no page ${path}`)
  return html
}

/** One field of a page: from its beginning to that of the next, or of its own fields. */
const getField = (html: string, id: string): string =>
  toPlainText(/<div.*?(?=<\/li>|<details|$)/s.exec(html.slice(html.indexOf(`<li id="${id}">`)))?.[0] ?? '')

describe('the page of an operation', () => {
  it('is there for each operation, linked from the overview, with its title, path and samples', () => {
    const overview = read('/docs/reference')
    for (const { id, summary, method, path } of documentedRoutes) {
      const slug = id.replace(/[A-Z]+/g, capitals => `-${capitals.toLowerCase()}`)
      const address = `/docs/reference/${slug}`
      expect(overview).toContain(`href="${address}"`)
      const html = read(address)
      expect(html).toContain(`<title>${escapeHtml(summary)} · Caseworker</title>`)
      expect(html).toContain(`<link rel="canonical" href="${address}">`)
      expect(html.match(/aria-current="page"/g)).toHaveLength(1)
      const text = toPlainText(html)
      expect(text).toContain(`${method.toUpperCase()} ${path.replace(/:(\w+)/g, '{$1}')}`)
      for (const label of ['curl', 'TypeScript', 'fetch', 'Python']) expect(html).toContain(`data-label="${label}"`)
      expect(text).toContain(`${about.server}${path.split(':')[0]}`)
    }
  })

  it('says of each field what it must be, with an example', () => {
    const html = read('/docs/reference/list-processes')
    expect(getField(html, 'path-procedureShortId')).toMatch(/string required.*short id.*Example lead/s)
    expect(getField(html, 'body-limit')).toMatch(/integer.*Default 10.*at least 1.*at most 100.*Example 20/s)
    expect(getField(html, 'body-limit')).not.toContain('required')
    expect(getField(html, 'body-sort-field')).toMatch(/string required.*Example score/s)
    expect(getField(html, 'body-sort-order')).toMatch(/"asc" \| "desc".*Default asc/s)
    // A response has what it has: nothing is required of it.
    expect(getField(html, 'response-200-_data-id')).toMatch(/^id string.*Example 01935c1e/)
    expect(html.slice(html.indexOf('id="response-200"'))).not.toContain('class="must"')
  })

  it('has the form of each type of event, with its own values', () => {
    const html = read('/docs/reference/list-events')
    expect(toPlainText(html)).toContain('A customer wrote.')
    const types = [...html.matchAll(/<li id="(response-200-_data(?:-or\d+)?-type)">/g)].map(([, id = '']) =>
      getField(html, id),
    )
    expect(types).toHaveLength(15)
    expect(types[9]).toMatch(/"message.received".*Example message.received/)
  })

  it('ends where a shape contains itself', () => {
    const html = read('/docs/reference/list-processes')
    expect(getField(html, 'body-where-and')).toContain('array of Query')
    expect(html).not.toContain('id="body-where-and-and"')
  })

  it('lists the errors by status, each with its explanation', () => {
    const html = read('/docs/reference/update-process-by-id')
    const statuses = [...html.matchAll(/<td><span class="status bad">(\d+)/g)].map(([, status]) => Number(status))
    expect(statuses.length).toBeGreaterThan(8)
    expect(statuses).toEqual([...statuses].sort((one, other) => one - other))
    expect(html).toContain('href="/docs/errors#transition_not_allowed"')
  })

  it('names the versions and which is the newest', () => {
    expect(toPlainText(read('/docs/reference/list-users'))).toContain('Versions: v1, v2 (newest)')
    expect(read('/docs/reference/list-users-v2')).toContain(
      '<a href="/docs/reference/list-users">v1</a>, <strong>v2</strong> (newest)',
    )
  })
})

it('the requests of webhooks stand on a page, which the overview and the menu lead to', () => {
  expect(read('/docs/reference').match(/href="\/docs\/reference\/webhook-requests"/g)).toHaveLength(2)
  const html = read('/docs/reference/webhook-requests')
  for (const type of EVENT_TYPES) expect(html).toContain(`<h2 id="${type.replaceAll(/[._]/g, '-')}">`)
  for (const { post } of Object.values(document.webhooks))
    for (const { name } of post.parameters) expect(html).toContain(`id="header-${name}"`)
})

it('the address in an error leads to the section about its code', () => {
  const html = read('/docs/errors')
  for (const code of ERROR_CODES) expect(html).toContain(`<h2 id="${code}">`)
})

describe('the search', () => {
  const entries = JSON.parse(site.get('/docs/search.json') ?? '') as Parameters<typeof find>[0]

  it.each([
    ['restore a process', '/docs/reference/restore-process'],
    ['rate_limited', '/docs/errors#rate_limited'],
    ['rate limits', '/docs/limits#rate-limits'],
    ['idempotency keys', '/docs/retries#idempotency-keys'],
    ['Idempotency', '/docs/retries'],
    ['overlapSeconds', '/docs/reference/rotate-webhook-secret#body-overlapSeconds'],
  ])('finds %s', (query, href) => {
    expect(find(entries, query, 1)[0]?.href).toBe(href)
  })

  it('finds nothing for words that are nowhere together', () => {
    expect(find(entries, 'restore', 1)).toHaveLength(1)
    expect(find(entries, '<script>"restore" zebra', 1)).toEqual([])
  })

  it('knows each field once, however many operations have it', () => {
    const keys = entries.filter(({ title }) => title === 'Idempotency-Key')
    expect(keys).toHaveLength(1)
    expect(keys[0]?.where).toMatch(/^Field of .* and \d+ more$/)
  })

  it('leads only to places that are there', () => {
    const places = new Map([...site].map(([file, html]) => [file.replace(/\.html$/, ''), html]))
    const lost = entries.filter(({ href }) => {
      const [path = '', id] = href.split('#')
      return !places.has(path) || (id !== undefined && !places.get(path)?.includes(` id="${escapeHtml(id)}"`))
    })
    expect(lost).toEqual([])
  })
})

it('the documentation lists every page for those whose browser runs no script', () => {
  const listed = [
    ...(read('/docs/search')
      .split('<main')[1]
      ?.matchAll(/href="(\/docs[^"]*)"/g) ?? []),
  ].map(([, href]) => href)
  for (const name of GUIDES) expect(listed).toContain(`/docs/${name}`)
  expect(listed.filter(href => href?.startsWith('/docs/reference/')).length).toBe(documentedRoutes.length + 1)
})

it('the documentation has a page for every guide', () => {
  expect(Object.keys(guides).sort()).toEqual([...GUIDES].sort())
})

it('Markdown has no HTML in it, and no address becomes a link by itself', () => {
  expect(renderInline('send <id> to https://api.example.com, "as is"')).toBe(
    'send &lt;id&gt; to https://api.example.com, &quot;as is&quot;',
  )
  expect(renderMarkdown('<script>alert(1)</script>')).not.toContain('<script')
})

it('headings of the same name have addresses of their own', () => {
  const ids = [
    ...renderMarkdown('## Added\n\n## Fixed\n\n## Added').matchAll(/ id="([^"]+)"><a class="anchor" href="#([^"]+)"/g),
  ]
  expect(ids.map(([, id, href]) => [id, href])).toEqual([
    ['added', 'added'],
    ['fixed', 'fixed'],
    ['added-1', 'added-1'],
  ])
})

it('the documentation shows the licence as the repository has it', () => {
  expect(toPlainText(read('/docs/licence'))).toContain(licence.trim())
})

it('the documentation shows the changelog with links that lead somewhere', () => {
  const html = read('/docs/changelog')
  expect(html).toContain('<h2 id="unreleased">')
  expect(html).not.toContain('href="src/')
})
