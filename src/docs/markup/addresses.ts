const LOCAL_API = 'http://localhost:8787'
const LOCAL_TOKEN = '$(cat .wrangler/state/demo-token)'

/** The samples of the guides are for `npm start`. Elsewhere they name this installation, which has no demo team. */
export function withOrigin(markdown: string, origin: string): string {
  const isLocal = new URL(origin).hostname === 'localhost'
  const named = markdown.replaceAll(LOCAL_API, origin)
  return isLocal ? named : named.replaceAll(LOCAL_TOKEN, 'cw_…')
}

/** A document of the repository as a page: links to guides lead to their pages, links to other files are text. */
export const fromRepository = (markdown: string): string =>
  markdown
    .replace(/\]\(src\/docs\/guides\/(\w+)\.md(#[\w-]+)?\)/g, '](/docs/$1$2)')
    .replace(/\[([^\]]+)\]\((?!\/|https:|#)[^)]+\)/g, '$1')
    .replace(/^## \[(.+)\]/gm, '## $1')
