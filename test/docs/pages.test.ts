/// <reference types="vite/types/importMeta.d.ts" />
import { describe, expect, it } from 'vitest'
import licence from '../../LICENSE?raw'
import { routes } from '../../src/app.ts'
import { fetchWorker, ORIGIN } from '../support/api.ts'

const read = async (path: string): Promise<string> => {
  const response = await fetchWorker(path, { headers: { accept: 'text/html' } })
  expect(response.status, path).toBe(200)
  return response.text()
}
const untagged = (html: string): string =>
  html
    .replace(/<[^>]+>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')

/** One field of a page: from its beginning to that of the next, or of its own fields. */
const fieldOf = (html: string, id: string): string =>
  untagged(/<div.*?(?=<\/li>|<details|$)/s.exec(html.slice(html.indexOf(`<li id="${id}">`)))?.[0] ?? '')

describe('the page of an operation', () => {
  it('is there for each of them, linked from the overview, with its title, path and samples', async () => {
    const overview = await read('/docs/reference')
    for (const { docs, summary, method, path } of routes) {
      const slug = docs?.id.replace(/[A-Z]+/g, capitals => `-${capitals.toLowerCase()}`)
      const address = `/docs/reference/${slug}`
      expect(overview).toContain(`href="${address}"`)
      const html = await read(address)
      expect(html).toContain(`<title>${summary.replaceAll('&', '&amp;')} · Caseworker</title>`)
      expect(html).toContain(`<link rel="canonical" href="${ORIGIN}${address}">`)
      expect(html.match(/aria-current="page"/g)).toHaveLength(1)
      const text = untagged(html)
      expect(text).toContain(`${method.toUpperCase()} ${path.replace(/:(\w+)/g, '{$1}')}`)
      for (const label of ['curl', 'TypeScript', 'fetch', 'Python']) expect(html).toContain(`data-label="${label}"`)
      expect(text).toContain(`${ORIGIN}${path.split(':')[0]}`)
    }
  })

  it('says of each field what it must be, and shows a value', async () => {
    const html = await read('/docs/reference/list-processes')
    expect(fieldOf(html, 'path-procedureShortId')).toMatch(/string required.*short id.*Example lead/s)
    expect(fieldOf(html, 'body-limit')).toMatch(/integer.*Default 10.*at least 1.*at most 100.*Example 20/s)
    expect(fieldOf(html, 'body-limit')).not.toContain('required')
    expect(fieldOf(html, 'body-sort-field')).toMatch(/string required.*Example score/s)
    expect(fieldOf(html, 'body-sort-order')).toMatch(/"asc" \| "desc".*Default asc/s)
    // A response has what it has: nothing is required of it.
    expect(fieldOf(html, 'response-200-_data-id')).toMatch(/^id string.*Example 01935c1e/)
    expect(html.slice(html.indexOf('id="response-200"'))).not.toContain('class="must"')
  })

  it('has the form of each type of event, with its own values', async () => {
    const html = await read('/docs/reference/list-events')
    expect(untagged(html)).toContain('A customer wrote.')
    const types = [...html.matchAll(/<li id="(response-200-_data(?:-or\d+)?-type)">/g)].map(([, id = '']) =>
      fieldOf(html, id),
    )
    expect(types).toHaveLength(15)
    expect(types[9]).toMatch(/"message.received".*Example message.received/)
  })

  it('ends where a shape contains itself', async () => {
    const html = await read('/docs/reference/list-processes')
    expect(fieldOf(html, 'body-where-and')).toContain('array of Query')
    expect(html).not.toContain('id="body-where-and-and"')
  })

  it('lists the errors by status, each with its explanation', async () => {
    const html = await read('/docs/reference/update-process-by-id')
    const statuses = [...html.matchAll(/<td><span class="status bad">(\d+)/g)].map(([, status]) => Number(status))
    expect(statuses.length).toBeGreaterThan(8)
    expect(statuses).toEqual([...statuses].sort((one, other) => one - other))
    expect(html).toContain('href="/docs/errors#transition_not_allowed"')
  })

  it('tells versions apart, and which is the newest', async () => {
    expect(untagged(await read('/docs/reference/list-users'))).toContain('Versions: v1, v2 (newest)')
    expect(await read('/docs/reference/list-users-v2')).toContain(
      '<a href="/docs/reference/list-users">v1</a>, <strong>v2</strong> (newest)',
    )
  })
})

describe('the search', () => {
  const firstOf = async (query: string) => {
    const html = await read(`/docs/search?q=${encodeURIComponent(query)}`)
    return /<ol class="results"><li><a href="([^"]+)"/.exec(html)?.[1]
  }

  it.each([
    ['restore a process', '/docs/reference/restore-process'],
    ['rate_limited', '/docs/errors#rate_limited'],
    ['rate limits', '/docs/limits#rate-limits'],
    ['idempotency keys', '/docs/retries#idempotency-keys'],
    ['Idempotency', '/docs/retries'],
    ['overlapSeconds', '/docs/reference/rotate-webhook-secret#body-overlapSeconds'],
  ])('finds %s', async (query, href) => {
    expect(await firstOf(query)).toBe(href)
  })

  it('finds nothing for words that stand nowhere together, and shows the query as it was written', async () => {
    const html = await read(`/docs/search?q=${encodeURIComponent('<script>"restore" zebra')}`)
    expect(html).toContain('Nothing has all of these words')
    expect(html).toContain('value="&lt;script&gt;&quot;restore&quot; zebra"')
  })

  it('knows each field once, however many operations have it', async () => {
    const entries = (await (await fetchWorker('/docs/search.json')).json()) as { title: string; where: string }[]
    const keys = entries.filter(({ title }) => title === 'Idempotency-Key')
    expect(keys).toHaveLength(1)
    expect(keys[0]?.where).toMatch(/^Field of .* and \d+ more$/)
  })
})

it('shows the licence as the repository has it', async () => {
  expect(untagged(await read('/docs/licence'))).toContain(licence.trim())
})

it('shows the changelog with links that lead somewhere', async () => {
  const html = await read('/docs/changelog')
  expect(html).toContain('<h2 id="unreleased">')
  expect(html).not.toContain('href="src/')
})
