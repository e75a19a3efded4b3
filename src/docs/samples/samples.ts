import { writeFetchSample } from './fetch.ts'
import { formatLiteral, JSON_SYNTAX } from './literal.ts'
import { writePythonSample } from './python.ts'
import { buildExampleRequest, type ExampleRequest, type SampledOperation } from './request.ts'
import { writeTypescriptSample } from './typescript.ts'

/** A sample. `language` is the name for highlighters, `label` the one for readers. */
export interface Sample {
  language: 'sh' | 'ts' | 'js' | 'python'
  label: 'curl' | 'TypeScript' | 'fetch' | 'Python'
  code: string
}

/** Builds the request of an operation's examples in each language. */
export function buildSamples(sampled: SampledOperation, origin: string): Sample[] {
  const request = buildExampleRequest(sampled, origin)
  return [
    { language: 'sh', label: 'curl', code: writeCurlSample(request) },
    { language: 'ts', label: 'TypeScript', code: writeTypescriptSample(request) },
    { language: 'js', label: 'fetch', code: writeFetchSample(request) },
    { language: 'python', label: 'Python', code: writePythonSample(request) },
  ]
}

const quoteForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Writes a command for a shell in which `TOKEN` is set. */
function writeCurlSample({ method, address, body, upload, needsToken, responseKind }: ExampleRequest): string {
  const options = responseKind === 'events' ? '-sN' : '-s'
  return [
    `curl ${options}${method === 'GET' ? '' : ` -X ${method}`} ${/[?&]/.test(address) ? quoteForShell(address) : address}`,
    ...(needsToken ? ['-H "authorization: Bearer $TOKEN"'] : []),
    ...(body === undefined ? [] : ["-H 'content-type: application/json'", `-d ${quoteForShell(writeCurlBody(body))}`]),
    ...(upload === undefined ? [] : [`-F ${quoteForShell(`file=@${upload}`)}`]),
    ...(responseKind === 'file' ? [`-o ${address.split('/').at(-1)}`] : []),
  ].join(' \\\n  ')
}

const writeCurlBody = (body: unknown): string =>
  formatLiteral(body, JSON_SYNTAX, { indent: '  ', used: "  -d ''".length })

/** The names of the languages that viewers of OpenAPI documents know. */
const OPENAPI_LANGUAGES = { sh: 'Shell', ts: 'TypeScript', js: 'JavaScript', python: 'Python' } as const

type Paths = Record<string, Record<string, unknown>>

/** Returns the document with `x-codeSamples` in each operation, which most viewers show. */
export function addCodeSamples<Document extends { paths: Paths }>(document: Document, origin: string): Document {
  const paths = Object.entries(document.paths).map(([path, methods]) => {
    const operations = Object.entries(methods).map(([method, described]) => {
      const operation = described as SampledOperation['operation']
      const samples = buildSamples({ method, path, operation }, origin).map(({ language, label, code }) => ({
        lang: OPENAPI_LANGUAGES[language],
        label,
        source: code,
      }))
      return [method, { ...operation, 'x-codeSamples': samples }]
    })
    return [path, Object.fromEntries(operations)]
  })
  return { ...document, paths: Object.fromEntries(paths) as Paths }
}
