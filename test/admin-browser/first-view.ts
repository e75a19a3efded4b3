import { gzipSync } from 'node:zlib'
import { expectThat } from '../browser/session.ts'
import { newVisitor, settled, signIn, type Visit } from './visit.ts'

const FIRST_VIEW_BYTES_MAX = 150 * 1024

/** The palette is fetched ahead three seconds later (`shell/frame.tsx`): on a busy machine, while the view still settles. */
const NOTHING_AHEAD = `
  const later = window.setTimeout.bind(window)
  window.setTimeout = (act, ms, ...rest) => (ms === 3_000 ? 0 : later(act, ms, ...rest))
`

/** Checks what a new browser loads for the overview: all of it from the installation itself, and little. */
export async function checkFirstView(visit: Visit): Promise<void> {
  const context = await newVisitor(visit)
  const page = await signIn(visit, context)
  await settled(page)
  const again = await newVisitor(visit)
  await again.addCookies(await context.cookies())
  const fresh = await again.newPage()
  await fresh.addInitScript(NOTHING_AHEAD)
  const elsewhere: string[] = []
  const counted: Promise<number>[] = []
  fresh.on('response', response => {
    if (!response.url().startsWith(visit.running.url)) elsewhere.push(response.url())
    if (!/\/admin|\/docs\//.test(response.url())) return
    counted.push(response.body().then(body => gzipSync(body).length))
  })
  await fresh.goto(`${visit.running.url}/admin/`)
  await settled(fresh)
  await fresh.waitForLoadState('networkidle')
  const bytes = (await Promise.all(counted)).reduce((sum, each) => sum + each, 0)
  expectThat(elsewhere.length === 0, `loads from elsewhere: ${elsewhere}`)
  expectThat(
    bytes <= FIRST_VIEW_BYTES_MAX,
    `the first view takes ${bytes} bytes compressed, of at most ${FIRST_VIEW_BYTES_MAX}`,
  )
  console.log(`the first view takes ${Math.round(bytes / 1024)} KiB compressed, from the installation alone`)
  await context.close()
  await again.close()
}
