import type { SampledOperation } from '../samples/example-request.ts'

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  description?: string
  example?: unknown
}

interface Content {
  [type: string]: { schema?: DataSchema; example?: unknown }
}

interface DataSchema {
  $ref?: string
  items?: DataSchema
  properties?: Record<string, DataSchema>
}

/** What the collection shows of an operation. */
export interface Operation {
  operationId: string
  tags: readonly string[]
  summary: string
  description: string
  security?: readonly object[]
  parameters: readonly (Partial<Parameter> & { $ref?: string })[]
  requestBody?: { content: Record<string, { example?: unknown }> }
  responses: Record<string, { description?: string; content?: Content }>
}

export interface OperationAt extends SampledOperation {
  operation: Operation
}

/** As much of the OpenAPI document as the collection is made of. */
export interface Described {
  info: { title: string; description: string; version: string }
  tags: readonly { name: string; description: string }[]
  paths: Record<string, Record<string, unknown>>
  components: { parameters: Record<string, object> }
}

const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && 'operationId' in value

export const operationsOf = ({ paths }: Described): OperationAt[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      isOperation(operation) ? [{ method, path, operation }] : [],
    ),
  )

/** Those that are components, too. */
export const parametersOf = ({ operation }: OperationAt, { components }: Described): Parameter[] =>
  operation.parameters.map(
    ({ $ref, ...own }) => ($ref === undefined ? own : components.parameters[$ref.split('/').at(-1) ?? '']) as Parameter,
  )

const nameOf = (schema: DataSchema | undefined): string | undefined => schema?.$ref?.split('/').at(-1)

/** The component that `_data` is, or a list of; undefined if it is neither. */
export function dataOf({ responses }: Operation): string | undefined {
  const [success] = Object.entries(responses).flatMap(([status, response]) => (status < '300' ? [response] : []))
  const data = success?.content?.['application/json']?.schema?.properties?._data
  return nameOf(data) ?? nameOf(data?.items)
}
