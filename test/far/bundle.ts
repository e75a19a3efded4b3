import { bundleWorker } from '../../scripts/local/bundle.ts'

/** The module that `worker.ts` imports: it is made from `src`, when a test run or `npm run far` starts. */
export const ISOLATE_MODULE = 'caseworker:isolate'

/**
 * The whole Worker as one function. Each call of it has caches of its own, as each isolate has: so an isolate that
 * vanishes, or another one beside it, is one more call. Its clock may be some time from that of the others.
 */
export async function isolateModule(): Promise<string> {
  const code = await bundleWorker('src/index.ts', { format: 'cjs' })
  return `import * as workers from 'cloudflare:workers'
export function startIsolate(runtime = {}, skewMs = 0) {
  const clock = new Proxy(function () {}, {
    get: (_, name) => (name === 'now' ? () => globalThis.Date.now() + skewMs : globalThis.Date[name]),
    construct: (_, parts) => new globalThis.Date(...(parts.length === 0 ? [globalThis.Date.now() + skewMs] : parts)),
  })
  const module = { exports: {} }
  const require = name => {
    if (name !== 'cloudflare:workers') throw new Error('far: an isolate has no module ' + name)
    return { ...workers, ...runtime }
  }
  ;(function (module, exports, require, Date) {
${code}
  })(module, module.exports, require, clock)
  return module.exports
}
`
}
