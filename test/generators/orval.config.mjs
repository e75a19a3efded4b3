// The address is in the document; orval takes it from here only.
const { DOCUMENT: input = '', API: baseUrl = '' } = process.env

export default {
  fetch: { input, output: { target: 'made/orval/fetch.ts', client: 'fetch', baseUrl } },
  zod: { input, output: { target: 'made/orval/zod.ts', client: 'zod' } },
}
