import { expectThat } from '../browser/session.ts'

interface FetchedPage {
  href: string
  title: string
  html: string
}

const TITLE_CHARACTERS_MAX = 40
const OWN = /<a [^>]*href="(\/docs[^"]*|#[^"]*)"/g
const FILES = /\.(js|css|svg|json)$/

/** A connection that the server closed meanwhile is no answer. */
const fetchAgain = async (address: string): Promise<Response> => {
  const init = { headers: { accept: 'text/html' } }
  return fetch(address, init).catch(() => fetch(address, init))
}

/**
 * Fetches all pages that are linked from the first one. Fails for a broken link, and for a page without a title of its
 * own.
 */
export async function crawl(url: string): Promise<FetchedPage[]> {
  const pages = new Map<string, FetchedPage>()
  const links: { from: string; to: string }[] = []
  for (const waiting = ['/docs']; waiting.length > 0; ) {
    const href = waiting.shift() ?? ''
    if (pages.has(href) || FILES.test(href)) continue
    const response = await fetchAgain(url + href)
    expectThat(
      response.ok,
      `${href} answers ${response.status}, and is linked from ${links.find(({ to }) => to.startsWith(href))?.from}`,
    )
    const html = await response.text()
    pages.set(href, { href, html, title: /<title>(.*?)<\/title>/.exec(html)?.[1] ?? '' })
    for (const [, found = ''] of html.matchAll(OWN)) {
      const to = new URL(found, url + href)
      links.push({ from: href, to: to.pathname + to.hash })
      if (!pages.has(to.pathname)) waiting.push(to.pathname)
    }
  }
  const dead = links.filter(({ to }) => {
    const [path = '', hash] = to.split('#')
    return hash !== undefined && pages.get(path)?.html.includes(`id="${decodeURIComponent(hash)}"`) === false
  })
  expectThat(dead.length === 0, `links to nowhere: ${dead.map(({ from, to }) => `${from} → ${to}`).join(', ')}`)
  const all = [...pages.values()]
  const titles = all.map(({ title }) => title)
  const twice = titles.filter((title, at) => titles.indexOf(title) !== at)
  expectThat(twice.length === 0, `titles of several pages: ${twice.join(', ')}`)
  const long = titles.filter(title => title.length > TITLE_CHARACTERS_MAX + ' · Caseworker'.length)
  expectThat(long.length === 0, `long titles: ${long.join(', ')}`)
  const ids = all.filter(({ html }) => {
    const found = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    return new Set(found).size !== found.length
  })
  expectThat(ids.length === 0, `an id stands twice in ${ids.map(({ href }) => href).join(', ')}`)
  for (const { href, html } of all)
    for (const part of ['<meta name="description" content="', '<link rel="canonical"', '<meta property="og:title"'])
      expectThat(html.includes(part), `${href} has no ${part}`)
  return all
}
