import type { EntryKind } from '../../background-job/kind.ts'
import { invalid } from '../../errors.ts'
import { warnUndeclared } from '../../http/response/warnings.ts'
import { isObject } from '../../http/shapes.ts'
import { findUndeclaredNames } from '../../procedure/declared.ts'
import { withProcedure } from '../../procedure/definition-cache.ts'
import { listBodyTargets, markJson } from './entry-cells.ts'
import { readUpdateEntry, requireReferences } from './update-body.ts'

type Body = Record<string, unknown>
type Correction = NonNullable<EntryKind['correction']>

/** The update is one of a bulk update for each of its processes; it neither deletes nor restores. */
const validateUpdate: Correction['validate'] = (scope, reference, update) =>
  withProcedure(scope, reference, async procedure => {
    const { isDeleted, ...fields } = update
    const wrong =
      isDeleted === undefined
        ? []
        : [{ message: 'a retry deletes and restores nothing', path: '/body/update/isDeleted' }]
    const faults = [...wrong, ...readUpdateEntry(procedure, fields).faults]
    if (faults.length > 0) throw invalid(faults)
    await requireReferences(scope, procedure, fields)
    const data = isObject(fields.data) ? fields.data : {}
    const undeclared = procedure.strict ? [] : findUndeclaredNames(procedure, data, '/body/update/data')
    const columns = listBodyTargets(update).map(target => ({ name: target, target }))
    const key =
      procedure.primaryKey !== null && (data[procedure.primaryKey] ?? null) !== null ? procedure.primaryKey : null
    return { key, warnings: warnUndeclared(undeclared, '/body/update/data'), columns: markJson(procedure, columns) }
  })

/** Attributes one by one, of which `null` takes one out of the entry: nothing is said of it any more. The other fields as they are. */
export const correctBody = (member: 'processUpdate' | 'processCreate' | 'processUpsert'): Correction => ({
  validate: validateUpdate,
  apply(apiData, { data, ...fields }) {
    const body = apiData[member]
    // An item that was not kept, or was emptied, has nothing left that the update alone could stand for.
    if (!isObject(body)) return apiData
    const corrected = isObject(data) ? { data: correctData(isObject(body.data) ? body.data : {}, data) } : {}
    return { ...apiData, [member]: { ...body, ...fields, ...corrected } }
  },
})

const correctData = (before: Body, update: Body): Body =>
  Object.fromEntries(Object.entries({ ...before, ...update }).filter(([name]) => update[name] !== null))
