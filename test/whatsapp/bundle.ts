import { bundleWorker } from '../../scripts/local/bundle.ts'

/** The name under which other Workers bind to the emulator. */
export const EMULATOR = 'whatsapp'

/**
 * The emulator as a Worker beside another one, for `miniflare.workers`. Its webhooks go to the Worker named `api`, or over
 * the network. Auxiliary Workers are given to the runtime as they are, so that it is bundled here,
 * from the project's root.
 */
export async function whatsappWorker({ api, callbackUrl = '' }: { api?: string; callbackUrl?: string } = {}) {
  return {
    name: EMULATOR,
    modules: [
      { type: 'ESModule' as const, path: 'whatsapp.mjs', contents: await bundleWorker('test/whatsapp/index.ts') },
    ],
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
