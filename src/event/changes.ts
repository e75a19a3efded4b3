import * as z from 'zod'
import { isSameJson } from '../db/document/canonical-json.ts'

export const FieldChange = z
  .object({
    field: z
      .string()
      .describe(
        'Of a process `status`, `state`, `nextActionAt`, `assignedTo`, `primaryKey`, `record`, or `data.` and the short id of an attribute; of a customer `data.` and the name of an attribute.',
      ),
    from: z.unknown().describe('The value before; null if there was none.'),
    to: z.unknown().describe('The value after; null if it was removed.'),
  })
  .meta({ id: 'FieldChange', description: 'What an event changed of one field.' })
export type FieldChange = z.infer<typeof FieldChange>

/** Decides whether a field changed: a value that was sent and was there before is no change. */
export const isChange = ({ from, to }: FieldChange): boolean => !isSameJson(from, to)

/** `before` has the values before, in the order of `set`, then `unset`. */
export function listDataChanges(
  { set = {}, unset = [] }: { set?: Record<string, unknown>; unset?: readonly string[] },
  before: readonly unknown[],
): FieldChange[] {
  return [...Object.keys(set), ...unset]
    .map((name, nth) => ({
      field: `data.${name}`,
      from: before[nth] ?? null,
      to: Object.hasOwn(set, name) ? set[name] : null,
    }))
    .filter(isChange)
}
