import type * as z from 'zod'
import { ERROR_CODES, type ErrorCode, type Fault } from '../../errors.ts'
import { EXAMPLE_ORIGIN } from '../public-origin.ts'
import { envelope } from '../response/envelope.ts'
import { STATUS_BY_CODE } from '../response/status.ts'
import { ALWAYS, type HeaderName, listHeaderRefs } from './headers.ts'
import { type createSchemaConverter, describeExactObject, toRef } from './json-schema.ts'
import type { JsonSchema } from './plain-schema.ts'

export interface ExplainedError {
  title: string
  cause: string
  remedy: string
  example: Fault
  detail?: Record<string, z.ZodType>
  headers?: readonly HeaderName[]
}

type Explain = (code: ErrorCode) => ExplainedError

export const EXAMPLE_REQUEST_ID = '5b0c1d7e-0a3f-4f0e-9c55-0b6f3f1f2a11'

const getSchemaName = (code: ErrorCode) => `${code}_error`

/** Builds one schema, one response and one example for each code, and what they share. */
export function buildErrorComponents(
  codes: readonly ErrorCode[],
  explain: Explain,
  schemas: ReturnType<typeof createSchemaConverter>,
) {
  const each = <Made>(name: (code: ErrorCode) => string, make: (code: ErrorCode) => Made) =>
    Object.fromEntries(codes.map(code => [name(code), make(code)])) as Record<string, Made>
  const same = (code: ErrorCode) => code
  return {
    schemas: {
      RequestId: { type: 'string', format: 'uuid', description: 'Quote it when you report a problem.' },
      NoErrors: { type: 'array', items: { type: 'string' }, maxItems: 0, description: 'Empty on success.' },
      NoData: {
        type: 'object',
        maxProperties: 0,
        additionalProperties: true,
        description: 'Empty if the request failed.',
      },
      ...each(getSchemaName, code => buildErrorSchema(code, explain(code), schemas)),
    },
    responses: each(same, code => buildErrorResponse([code], explain)),
    examples: each(same, code => ({ summary: explain(code).title, value: toExample(code, explain(code)) })),
  }
}

function buildErrorSchema(
  code: ErrorCode,
  { cause, remedy, detail = {} }: ExplainedError,
  schemas: ReturnType<typeof createSchemaConverter>,
) {
  const members: Record<string, JsonSchema> = {
    code: { const: code, description: 'What went wrong. Programs compare it.' },
    message: { type: 'string', minLength: 1, description: 'A sentence for people.' },
    path: { type: 'string', description: 'A JSON Pointer into the request.' },
    hint: { type: 'string', description: 'The correction, if there is only one.' },
    ...Object.fromEntries(Object.entries(detail).map(([name, schema]) => [name, schemas.of(schema, 'output')])),
    docs: { type: 'string', format: 'uri', description: 'The address of the explanation.' },
  }
  const fault = describeExactObject(members, ['path', 'hint', ...Object.keys(detail)])
  return {
    description: `${cause} ${remedy}`,
    ...describeExactObject(
      envelope<JsonSchema, JsonSchema, JsonSchema>(
        toRef('NoData'),
        {
          description: 'About the response.',
          ...describeExactObject({
            errors: { type: 'array', minItems: 1, items: fault, description: 'The errors, for programs.' },
            requestId: toRef('RequestId'),
          }),
        },
        {
          type: 'array',
          minItems: 1,
          items: { type: 'string', minLength: 1 },
          description: 'The same errors as sentences, for people.',
        },
      ),
    ),
  }
}

function toExample(code: ErrorCode, { example: { message, path, hint, detail } }: ExplainedError) {
  const docs = `${EXAMPLE_ORIGIN}/docs/errors#${code}`
  const twin = {
    code,
    message,
    ...(path === undefined ? {} : { path }),
    ...(hint === undefined ? {} : { hint }),
    ...detail,
    docs,
  }
  const sentence = hint === undefined ? message : `${message} (${hint})`
  return envelope({}, { errors: [twin], requestId: EXAMPLE_REQUEST_ID }, [sentence])
}

function buildErrorResponse(codes: ErrorCode[], explain: Explain) {
  const [only] = codes
  const schema =
    codes.length === 1 && only ? toRef(getSchemaName(only)) : { anyOf: codes.map(code => toRef(getSchemaName(code))) }
  return {
    description: codes.map(code => `\`${code}\`: ${explain(code).title}`).join('\n\n'),
    headers: listHeaderRefs([...new Set(codes.flatMap(code => explain(code).headers ?? [])), ...ALWAYS]),
    content: {
      'application/json': {
        schema,
        examples: Object.fromEntries(codes.map(code => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  }
}

/** Lists all codes, including those that belong to no single route. */
export const listErrors = (explain: Explain) =>
  ERROR_CODES.map(code => {
    const { title, cause, remedy } = explain(code)
    return { code, status: STATUS_BY_CODE[code], title, cause, remedy }
  })

/** Builds the error responses of one route, by status. A status with one code refers to the component of that code. */
export function buildErrorResponses(codes: ErrorCode[], explain: Explain) {
  const statuses = [...new Set(codes.map(code => STATUS_BY_CODE[code]))]
  return Object.fromEntries(
    statuses.map(status => {
      const group = codes.filter(code => STATUS_BY_CODE[code] === status)
      return [
        status,
        group.length === 1 ? { $ref: `#/components/responses/${group[0]}` } : buildErrorResponse(group, explain),
      ]
    }),
  )
}
