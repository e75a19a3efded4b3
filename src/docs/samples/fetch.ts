import { formatLiteral, JAVASCRIPT, markAsCode } from './literal.ts'
import type { ExampleRequest, ResponseKind } from './request.ts'

const BEARER = `\`Bearer \${process.env.TOKEN}\``
/** The characters before the value in the line of the body. */
const BODY_USED = '  body: JSON.stringify(),'.length

/** Writes a module of plain JavaScript. */
export function writeFetchSample(request: ExampleRequest): string {
  const { method, address, body, upload, needsToken, responseKind } = request
  const headers = {
    ...(needsToken ? { authorization: markAsCode(BEARER) } : {}),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const options = {
    ...(method === 'GET' ? {} : { method }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(body === undefined
      ? {}
      : { body: markAsCode(`JSON.stringify(${formatLiteral(body, JAVASCRIPT, { indent: '  ', used: BODY_USED })})`) }),
    ...(upload === undefined ? {} : { body: markAsCode('form') }),
  }
  const hasOptions = Object.keys(options).length > 0
  const call = `fetch(${JAVASCRIPT.text(address)}${hasOptions ? `, ${formatOptions(options)}` : ''})`
  return [
    ...listImports(request),
    ...(upload === undefined ? [] : listFormLines(upload)),
    `const response = await ${call}`,
    'if (!response.ok) throw new Error(await response.text())',
    ...listReading(responseKind, address),
  ].join('\n')
}

/** Formats options, each in a line of its own, whether or not all would fit in one. */
const formatOptions = (options: Record<string, unknown>): string => {
  const lines = Object.entries(options).map(
    ([name, value]) => `  ${name}: ${formatLiteral(value, JAVASCRIPT, { indent: '  ', used: name.length + 5 })},`,
  )
  return `{\n${lines.join('\n')}\n}`
}

const listImports = ({ upload, responseKind }: ExampleRequest): string[] => [
  ...(upload === undefined ? [] : ["import { openAsBlob } from 'node:fs'", '']),
  ...(responseKind === 'file' ? ["import { writeFile } from 'node:fs/promises'", ''] : []),
]

const listFormLines = (upload: string): string[] => [
  'const form = new FormData()',
  `form.append('file', await openAsBlob('${upload}'), '${upload}')`,
  '',
]

function listReading(kind: ResponseKind, address: string): string[] {
  switch (kind) {
    case 'json':
      return ['const { _data } = await response.json()', 'console.log(_data)']
    case 'lines':
      return [
        "const lines = (await response.text()).trim().split('\\n')",
        'for (const line of lines) console.log(JSON.parse(line))',
      ]
    case 'events':
      return ['for await (const text of response.body.pipeThrough(new TextDecoderStream())) console.log(text)']
    case 'text':
      return ['console.log(await response.text())']
    case 'file':
      return [`await writeFile('${address.split('/').at(-1)}', Buffer.from(await response.arrayBuffer()))`]
  }
}
