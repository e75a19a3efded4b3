import type { SampledOperation } from './example-request.ts'
import { type Sample, samplesOf } from './samples.ts'

/** The names that viewers of OpenAPI documents know, for the language of a sample. */
const LANG: Record<Sample['language'], string> = { sh: 'Shell', ts: 'TypeScript', js: 'JavaScript', python: 'Python' }

type Paths = Record<string, Record<string, unknown>>

/** The document with `x-codeSamples` in each operation, which most viewers show. */
export function withCodeSamples<Document extends { paths: Paths }>(document: Document, origin: string): Document {
  const paths = Object.entries(document.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [
        method,
        isDescribed(operation)
          ? { ...operation, 'x-codeSamples': codeSamples({ method, path, operation }, origin) }
          : operation,
      ]),
    ),
  ])
  return { ...document, paths: Object.fromEntries(paths) as Paths }
}

const isDescribed = (operation: unknown): operation is SampledOperation['operation'] =>
  typeof operation === 'object' && operation !== null && 'operationId' in operation

const codeSamples = (sampled: SampledOperation, origin: string) =>
  samplesOf(sampled, origin).map(({ language, label, code }) => ({ lang: LANG[language], label, source: code }))
