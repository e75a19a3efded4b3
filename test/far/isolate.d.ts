/** Made by `bundle.ts`. */
declare module 'caseworker:isolate' {
  /** A new isolate: the Worker's own exports, with nothing remembered. `runtime` replaces exports of `cloudflare:workers`. */
  export function startIsolate(runtime?: object, skewMs?: number): typeof import('../../src/index.ts')
}
