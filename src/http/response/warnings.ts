import * as z from 'zod'
import { type Fault, reportFaults } from '../../errors.ts'

/** All codes of warnings. A response with one has succeeded, but the request may have meant something else. */
const WARNING_CODES = ['undeclared_attribute', 'record_merged', 'table_recognised', 'column_left_out'] as const

/** The number of warnings in a response. Nobody reads more. */
const WARNINGS_MAX = 20

export const Warning = z
  .object({
    code: z.enum(WARNING_CODES).describe('What is warned of. Programs compare it.'),
    message: z.string().describe('A sentence for people.'),
    path: z.string().meta({ description: 'A JSON Pointer into the request.' }),
    hint: z.string().exactOptional().meta({ description: 'The correction, if it is plain.' }),
  })
  .meta({ id: 'Warning', description: 'The request was answered, and may have meant something else.' })
export type Warning = z.infer<typeof Warning>

/** `_meta.warnings` in the documentation of a response. */
export const Warnings = z.array(Warning).optional().meta({
  description:
    'What may have been meant otherwise, such as a name that the procedure does not declare. Absent if there is nothing.',
})

/** Warns of the first undeclared names, each with the nearest declared one, and once more with the number of the rest. */
export function warnUndeclared(names: readonly Fault[], whole: string): Warning[] {
  const code = 'undeclared_attribute'
  const warnings = reportFaults(names.slice(0, WARNINGS_MAX)).map(
    ({ message, path = whole, hint }): Warning => ({ code, message, path, ...(hint === undefined ? {} : { hint }) }),
  )
  const rest = names.length - WARNINGS_MAX
  return rest > 0 ? [...warnings, { code, message: `and ${rest} more`, path: whole }] : warnings
}

/** Returns the warnings as a member of `_meta`, or no member if there are none. */
export const toWarningsMeta = (warnings: readonly Warning[] | undefined): { warnings?: readonly Warning[] } =>
  warnings === undefined || warnings.length === 0 ? {} : { warnings }

const HEADER_LENGTH_MAX = 4_000

/** Formats the warnings as a header, for a body without `_meta`: JSON in ASCII, with as many as there is room for. */
export function formatWarningHeader(warnings: readonly Warning[]): Record<string, string> {
  for (let count = warnings.length; count > 0; count--) {
    const text = JSON.stringify(warnings.slice(0, count)).replace(
      /[^ -~]/g,
      char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    if (text.length <= HEADER_LENGTH_MAX) return { 'x-caseworker-warnings': text }
  }
  return {}
}
