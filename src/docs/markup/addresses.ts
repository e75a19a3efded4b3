const LOCAL_API = 'http://localhost:8787'
/** The emulated WhatsApp of `npm start` listens on the next port. */
const LOCAL_PROVIDER = 'http://localhost:8788'
const LOCAL_TOKEN = '$(cat .wrangler/state/demo-token)'

/** The samples of the guides are for `npm start`. Elsewhere they name this installation, which has no demo team. */
export function withOrigin(markdown: string, origin: string): string {
  const { hostname, port } = new URL(origin)
  const named = markdown.replaceAll(LOCAL_API, origin)
  return hostname === 'localhost'
    ? named.replaceAll(LOCAL_PROVIDER, `http://localhost:${Number(port) + 1}`)
    : named.replaceAll(LOCAL_TOKEN, 'cw_…')
}

/** A document of the repository as a page: links to guides lead to their pages, links to other files are text. */
export const fromRepository = (markdown: string): string =>
  markdown
    .replace(/\]\(src\/docs\/guides\/(\w+)\.md(#[\w-]+)?\)/g, '](/docs/$1$2)')
    .replace(/\[([^\]]+)\]\((?!\/|https:|#)[^)]+\)/g, '$1')
    .replace(/^## \[(.+)\]/gm, '## $1')
