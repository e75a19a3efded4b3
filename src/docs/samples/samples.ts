import { curlSample } from './curl-sample.ts'
import { exampleRequest, type SampledOperation } from './example-request.ts'
import { fetchSample } from './fetch-sample.ts'
import { pythonSample } from './python-sample.ts'
import { typescriptSample } from './typescript-sample.ts'

/** One sample. `language` is the name for highlighters, `label` the one for readers. */
export interface Sample {
  language: 'sh' | 'ts' | 'js' | 'python'
  label: 'curl' | 'TypeScript' | 'fetch' | 'Python'
  code: string
}

/** The request of an operation's examples in each language, with the origin of an installation. Pure. */
export function samplesOf(sampled: SampledOperation, origin: string): Sample[] {
  const request = exampleRequest(sampled, origin)
  return [
    { language: 'sh', label: 'curl', code: curlSample(request) },
    { language: 'ts', label: 'TypeScript', code: typescriptSample(request) },
    { language: 'js', label: 'fetch', code: fetchSample(request) },
    { language: 'python', label: 'Python', code: pythonSample(request) },
  ]
}
