import { CLIENT_CALLS, type ClientCall } from './client-calls.ts'
import { formatArguments, JAVASCRIPT } from './literal.ts'
import type { ExampleRequest } from './request.ts'

/** Writes a module that uses our client: its method for the operation, or else `client.call`. */
export function writeTypescriptSample(request: ExampleRequest): string {
  const { id, origin, upload, responseKind } = request
  const own = CLIENT_CALLS[id]?.(request)
  const isFile = own === undefined && responseKind === 'file'
  return [
    ...(upload === undefined ? [] : ["import { openAsBlob } from 'node:fs'"]),
    ...(isFile ? ["import { writeFile } from 'node:fs/promises'"] : []),
    "import { caseworker } from 'caseworker'",
    '',
    `const client = caseworker({ baseUrl: '${origin}', token: process.env.TOKEN ?? '' })`,
    ...(own === undefined ? writeNamedCall(request) : writeMethodCall(own)),
  ].join('\n')
}

function writeMethodCall({ on, method, args, name, item }: ClientCall): string[] {
  const call = `const ${name} = ${item === undefined ? 'await ' : ''}client.${on === '' ? '' : `${on}.`}${method}(`
  return [
    `${call}${formatArguments(args, JAVASCRIPT, call.length)})`,
    item === undefined ? `console.log(${name})` : `for await (const ${item} of ${name}) console.log(${item})`,
  ]
}

function writeNamedCall({ id, path, query, body, responseKind, address }: ExampleRequest): string[] {
  const parts = { path, query, ...(body === undefined ? {} : { body }) }
  const input = Object.fromEntries(Object.entries(parts).filter(([, part]) => Object.keys(part).length > 0))
  const call = `const { data } = await client.call(`
  const lines = [`${call}${formatArguments([id, input], JAVASCRIPT, call.length)})`]
  if (responseKind === 'json') return [...lines, 'console.log(data)']
  if (responseKind !== 'file') return [...lines, 'console.log(await new Response(data).text())']
  const file = JAVASCRIPT.text(address.split('/').at(-1) ?? '')
  return [...lines, `await writeFile(${file}, Buffer.from(await new Response(data).arrayBuffer()))`]
}
