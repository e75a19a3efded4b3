// The address of the installation is taken from the document's `servers`.
const input = './openapi.json'
const baseUrl = { getBaseUrlFromSpecification: true }

module.exports = {
  fetch: { input, output: { target: 'made/orval/fetch.ts', client: 'fetch', baseUrl } },
  zod: { input, output: { target: 'made/orval/zod.ts', client: 'zod' } },
}
