import * as z from 'zod'
import { DryRunQuery } from '../../background-job/schema.ts'
import type { Fault } from '../../errors.ts'
import { toFaults } from '../../http/request/faults.ts'
import { isObject } from '../../http/shapes.ts'
import { DATE_FORMS, DECIMAL_FORMS } from '../../import-file/forms.ts'
import type { Procedure } from '../../procedure/model.ts'
import { missingKey } from '../refusals.ts'
import { findNewFaults } from '../rules.ts'
import { CreateProcess, UpdateProcess } from '../schema.ts'
import { type FurtherCheck, furtherFaults } from '../validate.ts'

/** The member of a bulk request that has its items. */
export const PROCESSES = 'processes'

const namesIn = <Name extends string>(forms: Readonly<Record<Name, unknown>>) => Object.keys(forms) as [Name, ...Name[]]

/** How the table of a body is written, where that can be read in two ways, or should not be found out. */
export const BulkQuery = DryRunQuery.extend({
  delimiter: z
    .string()
    .regex(/^([^"\r\n]|tab)$/u, { error: 'must be one character, or tab' })
    .optional()
    .meta({
      description:
        'Of `text/csv`: what separates the cells. By default a comma, semicolon or tab, as the header has it.',
      examples: [';'],
    }),
  dates: z
    .enum(namesIn(DATE_FORMS))
    .optional()
    .meta({
      description:
        'Of `text/csv`: whether days are written as 2026-12-31, 31.12.2026 or 12/31/2026. By default what the first rows show; refused if they can be read in two ways.',
      examples: ['dmy'],
    }),
  decimal: z
    .enum(namesIn(DECIMAL_FORMS))
    .optional()
    .meta({
      description:
        'Of `text/csv`: what stands before the decimals of a number, as in 1,234.5 or 1.234,5. By default what the first rows show; refused if they can be read in two ways.',
      examples: ['comma'],
    }),
})
export type BulkQuery = z.output<typeof BulkQuery>

/** What a job can do with a process. */
export const PROCESS_ENTRY_KINDS = [
  'PROCESS_UPDATE',
  'PROCESS_CREATE',
  'PROCESS_DELETE',
  'PROCESS_RESTORE',
  'PROCESS_UPSERT',
  'PROCESS_UNDO',
] as const
export type ProcessEntryKind = (typeof PROCESS_ENTRY_KINDS)[number]

/** What an item of a bulk request comes to: data for a job's entry, or all that is wrong with it. */
export type ReadEntry = {
  apiType: ProcessEntryKind
  apiData: Record<string, unknown>
  faults: Fault[]
}

const NO_OBJECT: Fault = { message: 'an item must be an object', path: '/body' }
const KEY_LENGTH_MAX = 1_000
const Key = z.union([z.string().min(1).max(KEY_LENGTH_MAX), z.number()], { error: 'must be text or a number' })
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
      faults.push({ message: `unknown field ${JSON.stringify(name)}`, path: `/body/${name}` })
  const address = readAddress(keyName, id, key, faults)
  if (!isObject(sent)) {
    faults.push({ message: '"update" must be an object', path: '/body/update' })
    return { apiType: 'PROCESS_UPDATE', apiData: { ...address, processUpdate: sent }, faults }
  }
  const { isDeleted, ...fields } = sent
  if (isDeleted !== undefined && typeof isDeleted !== 'boolean')
    faults.push({ message: '"isDeleted" must be true or false', path: '/body/isDeleted' })
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
  const processUpdate = check(UpdateProcess, fields, faults, UPDATE_MEMBERS, () => furtherFaults(procedure, fields))
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
  const missing = key === null ? [] : missingKey(key, isObject(data) ? data : {}, faults)
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
  const checked = check(CreateProcess, whole, faults, CREATE_MEMBERS, () => furtherFaults(procedure, whole, further))
  return isKeyUnclear ? { faults } : { body: checked, faults }
}

/** A key may be called as something that every object inherits: `constructor`. */
const ownValue = (object: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** What `Key` takes; it is asked for each item of a request. */
const isUsableKey = (value: unknown): boolean =>
  typeof value === 'string' ? value !== '' && value.length <= KEY_LENGTH_MAX : Number.isFinite(value)

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
  if (!isUsableKey(value)) faults.push({ message: `${by} must be text or a number`, path })
  const text = typeof value === 'number' ? String(value) : value
  return id === undefined ? { primaryKeyShortId: keyName, primaryKeyValue: text } : { processId: text }
}

/** As most items are: what else may be wrong with it is found out when its entry is run. */
function isDataAlone(sent: Record<string, unknown>): boolean {
  for (const name of Object.keys(sent)) if (name !== 'data') return false
  return isObject(sent.data)
}

/** The parsed body; as it was sent where it can't be used, with everything that the single route would say of it. */
function check(
  schema: z.ZodType<Record<string, unknown>>,
  sent: Record<string, unknown>,
  faults: Fault[],
  known: string[],
  more: () => Fault[],
): Record<string, unknown> {
  if (isDataAlone(sent)) return sent
  const result = schema.safeParse(sent, { reportInput: true })
  if (result.success) return result.data
  const shape = toFaults('body', result.error.issues, known)
  faults.push(...shape, ...more().filter(({ path }) => !shape.some(fault => fault.path === path)))
  return sent
}

const Address = {
  procedureId: z.string().min(1).max(200),
  processId: z.string().min(1).max(1_000).exactOptional(),
  primaryKeyShortId: z.string().min(1).max(200).exactOptional(),
  primaryKeyValue: Key.transform(String).exactOptional(),
}
const namesOne = (data: { processId?: string; primaryKeyShortId?: string; primaryKeyValue?: string }) =>
  (data.processId === undefined) !== (data.primaryKeyShortId === undefined) &&
  (data.primaryKeyShortId === undefined) === (data.primaryKeyValue === undefined)
const NAMES_ONE = { error: 'it needs "processId", or "primaryKeyShortId" and "primaryKeyValue"' }

/** `apiData` of entries that are scheduled by hand. */
export const UpdateData = z.strictObject({ ...Address, processUpdate: UpdateProcess }).refine(namesOne, NAMES_ONE)
export const DeleteData = z.strictObject(Address).refine(namesOne, NAMES_ONE)
export const CreateData = z.strictObject({ procedureId: Address.procedureId, processCreate: CreateProcess })
export const UpsertData = z.strictObject({ procedureId: Address.procedureId, processUpsert: CreateProcess })
