import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const repository = path.resolve(import.meta.dirname, '../..')
const state = process.env.STATE ?? path.join(repository, '.wrangler/state')
const api = `http://localhost:${process.env.PORT ?? 8787}`

/** `npm run dev`: pages are served as they are written, and call the API of a running `npm start` with its demo token. */
function callsOfDevelopment() {
  const file = path.join(state, 'demo-token')
  const headers = existsSync(file) ? { authorization: `Bearer ${readFileSync(file, 'utf8').trim()}` } : {}
  return Object.fromEntries(
    ['/v1', '/v2', '/media', '/docs', '/openapi.json'].map(each => [each, { target: api, headers }]),
  )
}

export default defineConfig({
  root: import.meta.dirname,
  base: '/admin/',
  plugins: [react(), tailwind()],
  // The source of the client is used: each page loads its part of it, also what the package does not export.
  resolve: {
    alias: [
      { find: /^caseworker$/, replacement: path.join(repository, 'src/client/client.ts') },
      { find: /^caseworker\/(.+)$/, replacement: path.join(repository, 'src/client/$1.ts') },
      { find: /^import-file\/(.+)$/, replacement: path.join(repository, 'src/import-file/$1.ts') },
    ],
  },
  server: { proxy: callsOfDevelopment() },
  build: {
    outDir: path.join(repository, 'dist/site/admin'),
    emptyOutDir: true,
    target: ['chrome123', 'firefox121', 'safari17.5'],
    // Inlined files would be `data:` addresses, which the security policy has no need to allow.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 400,
  },
})
