import { formatLiteral, markAsCode, PYTHON } from './literal.ts'
import type { ExampleRequest, ResponseKind } from './request.ts'

const { indent, text } = PYTHON

/** Writes a program for Python 3 with the package `requests`. */
export function writePythonSample(request: ExampleRequest): string {
  const { method, address, body, upload, needsToken, responseKind } = request
  const named = {
    ...(needsToken ? { headers: { authorization: markAsCode(`f"Bearer {os.environ['TOKEN']}"`) } } : {}),
    ...(body === undefined ? {} : { json: body }),
    ...(upload === undefined ? {} : { files: { file: markAsCode(`open(${text(upload)}, "rb")`) } }),
    ...(responseKind === 'lines' || responseKind === 'events' ? { stream: true } : {}),
  }
  const lines = Object.entries(named).map(([name, value]) => {
    const before = `${indent}${name}=`
    return `${before}${formatLiteral(value, PYTHON, { indent, used: before.length + 1 })},`
  })
  const call = `response = requests.${method.toLowerCase()}(`
  return [
    ...listImports(request),
    '',
    ...(lines.length === 0 ? [`${call}${text(address)})`] : [call, `${indent}${text(address)},`, ...lines, ')']),
    'if not response.ok:',
    `${indent}raise SystemExit(response.text)`,
    ...listReading(responseKind, address),
  ].join('\n')
}

const listImports = ({ needsToken, responseKind }: ExampleRequest): string[] => {
  const own = [...(responseKind === 'lines' ? ['import json'] : []), ...(needsToken ? ['import os'] : [])]
  return [...own, ...(own.length > 0 ? [''] : []), 'import requests']
}

function listReading(kind: ResponseKind, address: string): string[] {
  switch (kind) {
    case 'json':
      return ['print(response.json()["_data"])']
    case 'lines':
      return ['for line in response.iter_lines():', `${indent}print(json.loads(line))`]
    case 'events':
      return ['for line in response.iter_lines():', `${indent}print(line.decode())`]
    case 'text':
      return ['print(response.text)']
    case 'file':
      return [
        `with open(${text(address.split('/').at(-1) ?? '')}, "wb") as file:`,
        `${indent}file.write(response.content)`,
      ]
  }
}
