/** Made by `bundle.ts`. */
declare module 'caseworker:isolate' {
  /** A new isolate: the Worker's own exports, with nothing remembered. */
  export function startIsolate(): typeof import('../../src/index.ts')
}
