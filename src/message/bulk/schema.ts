import * as z from 'zod'
import type { PlannedChanges } from '../../background-job/planned-changes.ts'
import { AppError, type Fault } from '../../errors.ts'
import { pointer } from '../../http/request/faults.ts'
import { isObject } from '../../http/shapes.ts'
import { PluginPath } from '../../plugin/schema.ts'
import { getDeclaredAttributes, toUndeclaredFault } from '../../procedure/declared.ts'
import type { Procedure } from '../../procedure/model.ts'
import { ProcedurePath } from '../../procedure/schema.ts'
import { Key } from '../../process/bulk/schema.ts'
import { PhoneNumber } from '../schema.ts'
import { MAPPED, MAPPING_LENGTH_MAX, Mapping, SendTemplate, VALUE_LENGTH_MAX } from '../send/schema.ts'

const Item = Mapping.element.shape

/** As in a single message; or with the value of an attribute of the process, as it is when the message is sent. */
const BulkMapping = z
  .array(
    z
      .strictObject({
        schemaPropertyName: Item.schemaPropertyName,
        schemaPropertyValue: Item.schemaPropertyValue.exactOptional(),
        attribute: z
          .string()
          .min(1)
          .max(200)
          .exactOptional()
          .meta({
            description: 'Instead of a value: the attribute of the process that has it.',
            examples: ['city'],
          }),
      })
      .refine(item => (item.schemaPropertyValue === undefined) !== (item.attribute === undefined), {
        error: 'it needs either "schemaPropertyValue" or "attribute"',
      }),
  )
  .max(MAPPING_LENGTH_MAX)
  .default([])

const Mappings = {
  mapping: BulkMapping.describe(MAPPED.mapping),
  headerMapping: BulkMapping.describe(MAPPED.headerMapping),
  buttonMapping: BulkMapping.describe(MAPPED.buttonMapping),
}
const MAPPINGS = ['mapping', 'headerMapping', 'buttonMapping'] as const

/** What a message to many processes says to each of them. */
export const BulkTemplate = z.strictObject({ ...SendTemplate.shape, ...Mappings })
export type BulkTemplate = z.output<typeof BulkTemplate>

/** What of it may differ from one process to the next. */
export const OWN_MEMBERS = Object.keys(BulkTemplate.shape).filter(
  name => !['whatsappPhoneNumberId', 'templateName', 'language'].includes(name),
)

/** `apiData` of an entry that is scheduled by hand: to a process, or to a bare phone number. */
export const MessageData = z
  .strictObject({
    pluginId: z.string().min(1).max(200),
    procedureId: z.string().min(1).max(200).exactOptional(),
    processId: z.string().min(1).max(1_000).exactOptional(),
    primaryKeyShortId: z.string().min(1).max(200).exactOptional(),
    primaryKeyValue: Key.transform(String).exactOptional(),
    phoneNumber: PhoneNumber.exactOptional(),
    ...BulkTemplate.shape,
  })
  .refine(
    ({ procedureId, processId, primaryKeyShortId, primaryKeyValue, phoneNumber }) =>
      [processId, primaryKeyShortId, phoneNumber].filter(each => each !== undefined).length === 1 &&
      (primaryKeyShortId === undefined) === (primaryKeyValue === undefined) &&
      (procedureId === undefined) === (phoneNumber !== undefined),
    {
      error:
        'it needs "phoneNumber"; or "procedureId" with "processId", or with "primaryKeyShortId" and "primaryKeyValue"',
    },
  )

/** An entry as it is kept. */
export interface MessageEntry extends BulkTemplate {
  pluginId: string
  processId?: string
  primaryKeyShortId?: string
  primaryKeyValue?: string
  phoneNumber?: string
  /** The entry of another job that this one is a retry of: their attempts are counted together. */
  retryOf?: { backgroundJob: string; index: number }
  /** The message as the dry run has shown it that this job applies. */
  planned?: PlannedChanges
}

/** Whether it depends on the process what the message says. */
export const namesAttributes = (template: BulkTemplate): boolean =>
  MAPPINGS.some(member => template[member].some(({ attribute }) => attribute !== undefined))

/** Attributes that values are taken from, and that the procedure does not declare. */
export const undeclaredMappings = (procedure: Procedure, template: BulkTemplate): Fault[] =>
  MAPPINGS.flatMap(member =>
    template[member].flatMap(({ attribute }, index) =>
      attribute === undefined || getDeclaredAttributes(procedure).has(attribute)
        ? []
        : [toUndeclaredFault(procedure, attribute, pointer('body', member, index, 'attribute'))],
    ),
  )

/** The attributes that an item of a list refers to, whatever else is wrong with it. */
export const attributesNamed = (item: unknown): string[] =>
  MAPPINGS.flatMap(member => {
    const mapping = isObject(item) ? item[member] : undefined
    if (!Array.isArray(mapping)) return []
    return mapping.flatMap((each: unknown) =>
      isObject(each) && typeof each.attribute === 'string' ? [each.attribute] : [],
    )
  })

/** The message as a single request would have it: `attributeText` says what stands in place of each attribute. */
export function withValues(
  template: BulkTemplate,
  attributeText: (attribute: string) => string | undefined,
): SendTemplate {
  const { mapping, headerMapping, buttonMapping, ...rest } = template
  const given = { mapping, headerMapping, buttonMapping }
  const faults: Fault[] = []
  const filled = (member: (typeof MAPPINGS)[number]): Mapping =>
    given[member].map(({ schemaPropertyName, schemaPropertyValue, attribute = '' }, index) => {
      const value = schemaPropertyValue ?? attributeText(attribute)
      const path = pointer('body', member, index, 'attribute')
      if (value === undefined)
        faults.push({
          message: `the process has no text or number in the attribute ${JSON.stringify(attribute)}`,
          path,
        })
      else if (value.length > VALUE_LENGTH_MAX)
        faults.push({
          message: `the value of the attribute ${JSON.stringify(attribute)} is longer than ${VALUE_LENGTH_MAX} characters`,
          path,
        })
      return { schemaPropertyName, schemaPropertyValue: value ?? '' }
    })
  const [body, header, buttons] = [filled('mapping'), filled('headerMapping'), filled('buttonMapping')]
  if (faults.length > 0) throw new AppError('conflict', faults)
  return { ...rest, mapping: body, headerMapping: header, buttonMapping: buttons }
}

export const BulkSendPath = z.object({ ...PluginPath.shape, ...ProcedurePath.shape })
