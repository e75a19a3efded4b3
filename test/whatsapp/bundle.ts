import { build } from 'esbuild'

/** The name under which other Workers bind to the emulator. */
export const EMULATOR = 'whatsapp'

/**
 * The emulator as a Worker beside another one, for `miniflare.workers`. Its webhooks go to the Worker named `api`, or over
 * the network. Auxiliary Workers are given to the runtime as they are, so that it is bundled here,
 * from the project's root.
 */
export async function whatsappWorker({ api, callbackUrl = '' }: { api?: string; callbackUrl?: string } = {}) {
  const bundled = await build({
    entryPoints: ['test/whatsapp/index.ts'],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    external: ['cloudflare:*', 'node:*'],
    conditions: ['workerd', 'worker', 'browser'],
  })
  return {
    name: EMULATOR,
    modules: [{ type: 'ESModule' as const, path: 'whatsapp.mjs', contents: bundled.outputFiles[0]?.text ?? '' }],
    compatibilityDate: '2026-04-20',
    compatibilityFlags: ['nodejs_compat'],
    durableObjects: {
      ACCOUNT: { className: 'Account', useSQLite: true },
      PHONE_BOOK: { className: 'PhoneBook', useSQLite: true },
    },
    bindings: { CALLBACK_URL: callbackUrl },
    serviceBindings: api === undefined ? {} : { API: api },
  }
}
