import type * as z from 'zod'
import type { Fault } from '../../errors.ts'
import { toFaults } from '../../http/request/faults.ts'
import { isObject } from '../../http/shapes.ts'
import type { Procedure } from '../../procedure/model.ts'
import { isExactNumber, SEND_AS_TEXT } from '../../procedure/values.ts'
import { findMissingKeyFaults } from '../refusals.ts'
import { findNewFaults } from '../rules.ts'
import { CreateProcess, UpdateProcess } from '../schema.ts'
import { type FurtherCheck, findFurtherFaults } from '../validate.ts'
import { KEY_LENGTH_MAX, type ProcessEntryKind } from './schema.ts'

/** What an item of a bulk request comes to: data for a job's entry, or all that is wrong with it. */
export type ReadEntry = {
  apiType: ProcessEntryKind
  apiData: Record<string, unknown>
  faults: Fault[]
}

const NO_OBJECT: Fault = { message: 'an item must be an object', path: '/body' }
const UPDATE_MEMBERS = [...Object.keys(UpdateProcess.shape), 'isDeleted']
const CREATE_MEMBERS = Object.keys(CreateProcess.shape)

/** `{<identifier>, "update": {…}}`, or the same with the fields beside the identifier. */
export function readUpdateItem(procedure: Procedure, item: unknown): ReadEntry {
  if (!isObject(item))
    return {
      apiType: 'PROCESS_UPDATE',
      apiData: { item },
      faults: [NO_OBJECT],
    }
  if (isPlainUpdate(item))
    return {
      apiType: 'PROCESS_UPDATE',
      apiData: { processId: item.id, processUpdate: item.update },
      faults: [],
    }
  const { id, update: nested, ...rest } = item
  const keyName = procedure.primaryKey
  const [key, flat] = takeOut(rest, keyName)
  const faults: Fault[] = []
  const sent = nested === undefined ? flat : nested
  if (nested !== undefined)
    for (const name of Object.keys(flat))
      faults.push({
        message: UPDATE_MEMBERS.includes(name)
          ? `${JSON.stringify(name)} is a field of "update", where there is one`
          : `unknown field ${JSON.stringify(name)}`,
        path: `/body/${name}`,
      })
  const address = readAddress(keyName, id, key, faults)
  if (!isObject(sent)) {
    faults.push({ message: '"update" must be an object', path: '/body/update' })
    return { apiType: 'PROCESS_UPDATE', apiData: { ...address, processUpdate: sent }, faults }
  }
  const { isDeleted, ...fields } = sent
  if (isDeleted !== undefined && typeof isDeleted !== 'boolean')
    faults.push({ message: '"isDeleted" must be true or false', path: '/body/isDeleted', refused: isDeleted })
  if (isDeleted === true) {
    if (Object.keys(fields).length > 0)
      faults.push({
        message: '"isDeleted": true deletes the process and takes no other change',
        path: '/body/isDeleted',
      })
    return { apiType: 'PROCESS_DELETE', apiData: faults.length > 0 ? { ...address, item } : address, faults }
  }
  // Beside other changes it is no more than what a live process has anyway.
  if (isDeleted === false && Object.keys(fields).length === 0)
    return { apiType: 'PROCESS_RESTORE', apiData: faults.length > 0 ? { ...address, item } : address, faults }
  const isWhole = faults.length === 0
  const processUpdate = parseBody(fields, {
    schema: UpdateProcess,
    known: UPDATE_MEMBERS,
    faults,
    findFurther: () => findFurtherFaults(procedure, fields),
  })
  // What can't be taken apart is kept as it was sent, so that it is not taken for something else later.
  const sentBody = isWhole ? { processUpdate } : { item }
  return { apiType: 'PROCESS_UPDATE', apiData: { ...address, ...sentBody }, faults }
}

/** An id and attributes, as most items have: nothing has to be taken apart. */
function isPlainUpdate(item: Record<string, unknown>): boolean {
  for (const name of Object.keys(item)) if (name !== 'id' && name !== 'update') return false
  return typeof item.id === 'string' && isUsableKey(item.id) && isObject(item.update) && isDataAlone(item.update)
}

/** A create body, whose primary key may also stand beside the other members. */
export function readCreateItem(procedure: Procedure, item: unknown): ReadEntry {
  const { body, faults } = readNewItem(procedure, item, findNewFaults)
  return { apiType: 'PROCESS_CREATE', apiData: body ? { processCreate: body } : { item }, faults }
}

/** Reads an item whose process may exist: what a new one has to have is checked when it is created. */
export function readUpsertItem(procedure: Procedure, item: unknown): ReadEntry {
  const { body, faults } = readNewItem(procedure, item)
  if (!body) return { apiType: 'PROCESS_UPSERT', apiData: { item }, faults }
  const { data } = body
  const key = data === undefined || isObject(data) ? procedure.primaryKey : null
  const missing = key === null ? [] : findMissingKeyFaults(key, isObject(data) ? data : {}, faults)
  return { apiType: 'PROCESS_UPSERT', apiData: { processUpsert: body }, faults: [...faults, ...missing] }
}

/** No `body` where the item is none, or can't be taken apart. */
function readNewItem(
  procedure: Procedure,
  item: unknown,
  further?: FurtherCheck,
): { body?: Record<string, unknown>; faults: Fault[] } {
  if (!isObject(item)) return { faults: [NO_OBJECT] }
  const keyName = procedure.primaryKey
  const [key, body] = takeOut(item, keyName)
  const data = isObject(body.data) ? body.data : {}
  const inData = keyName === null ? undefined : ownValue(data, keyName)
  const whole =
    keyName === null || key === undefined || isKey(inData) || (body.data !== undefined && !isObject(body.data))
      ? body
      : { ...body, data: { ...data, [keyName]: inData ?? key } }
  const faults: Fault[] = []
  const isKeyUnclear = keyName !== null && key !== undefined && inData !== undefined && !isSameKey(inData, key)
  if (isKeyUnclear)
    faults.push({
      message: `${JSON.stringify(keyName)} is given twice, with different values`,
      path: `/body/${keyName}`,
    })
  const parsed = parseBody(whole, {
    schema: CreateProcess,
    known: CREATE_MEMBERS,
    faults,
    findFurther: () => findFurtherFaults(procedure, whole, further),
  })
  return isKeyUnclear ? { faults } : { body: parsed, faults }
}

/** A key may be called as something that every object inherits: `constructor`. */
const ownValue = (object: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** What `Key` takes; it is asked for each item of a request. */
const isUsableKey = (value: unknown): boolean =>
  typeof value === 'string'
    ? value !== '' && value.length <= KEY_LENGTH_MAX
    : typeof value === 'number' && isExactNumber(value)

const isKey = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number'
const isSameKey = (one: unknown, other: unknown): boolean =>
  one === other || (isKey(one) && isKey(other) && String(one) === String(other))

/** A member of an item, and the item without it. */
export function takeOut(item: Record<string, unknown>, name: string | null): [unknown, Record<string, unknown>] {
  if (name === null || !Object.hasOwn(item, name)) return [undefined, item]
  const { [name]: value, ...rest } = item
  return [value, rest]
}

export function readAddress(
  keyName: string | null,
  id: unknown,
  key: unknown,
  faults: Fault[],
): Record<string, unknown> {
  const by = keyName === null ? '"id"' : `"id" or ${JSON.stringify(keyName)}`
  if (id !== undefined && key !== undefined)
    faults.push({ message: `a process is named once, by ${by}`, path: '/body/id' })
  if (id === undefined && key === undefined)
    faults.push({ message: `the process is missing: ${by} is required`, path: '/body/id' })
  if (id === undefined && key === undefined) return {}
  const value = id === undefined ? key : id
  const path = id === undefined ? `/body/${keyName}` : '/body/id'
  const message = `${by} must be text or a number`
  if (typeof value === 'number' && !isExactNumber(value)) {
    // No retry and no result may name the process whose key it was rounded to.
    faults.push({ message, path, hint: SEND_AS_TEXT })
    return {}
  }
  if (!isUsableKey(value)) faults.push({ message, path })
  const text = typeof value === 'number' ? String(value) : value
  return id === undefined ? { primaryKeyShortId: keyName, primaryKeyValue: text } : { processId: text }
}

/** As most items are: what else may be wrong with it is found out when its entry is run. */
function isDataAlone(sent: Record<string, unknown>): boolean {
  for (const name of Object.keys(sent)) if (name !== 'data') return false
  return isObject(sent.data)
}

interface BodyRules {
  schema: z.ZodType<Record<string, unknown>>
  /** Its members. */
  known: string[]
  /** Faults that the schema does not know of. */
  findFurther: () => Fault[]
  /** The faults that were found are added here. */
  faults: Fault[]
}

/** The parsed body; as it was sent where it can't be used, with everything that the single route would say of it. */
function parseBody(
  sent: Record<string, unknown>,
  { schema, known, findFurther, faults }: BodyRules,
): Record<string, unknown> {
  if (isDataAlone(sent)) return sent
  const result = schema.safeParse(sent, { reportInput: true })
  if (result.success) return result.data
  const shape = toFaults('body', result.error.issues, { known })
  faults.push(...shape, ...findFurther().filter(({ path }) => !shape.some(fault => fault.path === path)))
  return sent
}
