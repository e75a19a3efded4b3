import { type BulkBody, readItem, requireItems } from '../../background-job/accept/body.ts'
import { parseValue } from '../../background-job/accept/scan.ts'
import type { Spool } from '../../background-job/accept/spool.ts'
import { findFirstPage } from '../../background-job/collect/collection.ts'
import { type Entry, toFailure } from '../../background-job/entry.ts'
import type { RequestedNames } from '../../background-job/kind.ts'
import type { JobSettings } from '../../background-job/settings.ts'
import { AppError, type Fault, invalid } from '../../errors.ts'
import { toFaults } from '../../http/request/faults.ts'
import { warnUndeclared } from '../../http/response/warnings.ts'
import { isObject } from '../../http/shapes.ts'
import { getPlugin, type PluginRow, refuseStopped } from '../../plugin/operations.ts'
import { findTemplates, listTemplateNames } from '../../plugin/template/operations.ts'
import type { Procedure } from '../../procedure/model.ts'
import { CONFIRMATION_MEMBERS, readConfirmation, requireConfirmation } from '../../process/bulk/confirmation.ts'
import { undeclaredInItems } from '../../process/bulk/item-names.ts'
import { findNames } from '../../process/bulk/kinds.ts'
import { readAddress, takeOut } from '../../process/bulk/read-item.ts'
import { PROCESSES } from '../../process/bulk/schema.ts'
import type { BulkEntries } from '../../process/bulk/where.ts'
import type { Scope } from '../../scope.ts'
import { chooseSender, createDraft, type TemplateCandidates } from '../send/draft.ts'
import { chooseTemplate } from '../send/language.ts'
import { MESSAGE_TYPE } from './batch.ts'
import { attributesNamed, BulkTemplate, OWN_MEMBERS, undeclaredMappings, withValues } from './schema.ts'

export const TEMPLATE_MEMBERS = Object.keys(BulkTemplate.shape)
/** Stands for a value that is known only when the message is sent. */
const SOME_TEXT = 'x'

interface SendSource {
  plugin: PluginRow
  templates: TemplateCandidates
  procedure: Procedure
}

/**
 * `{whatsappPhoneNumberId, templateName, …}` with a list of processes, or a `where`: one message to each. What is wrong
 * with what all of them share is wrong with the request; what is wrong with one of them makes that entry INVALID.
 */
export async function readMessages(
  scope: Scope,
  procedure: Procedure,
  pluginId: string,
  body: BulkBody,
  { settings, spooled }: { settings: JobSettings; spooled: () => Promise<Spool> },
): Promise<Omit<BulkEntries, 'title'> & { template: string }> {
  // Each message has what all of them share, and that may follow the list.
  const { first, items } = await spooled()
  const byWhere = body.has('where')
  const shared = getShared(body)
  const wrong = [
    ...(body.hasList() && byWhere ? [{ message: 'either "processes" or "where", not both', path: '/body/where' }] : []),
    ...(body.hasList() || body.has(PROCESSES) || byWhere
      ? []
      : [{ message: '"processes" or "where" is required', path: '/body/processes' }]),
  ]
  if (!byWhere)
    for (const name of CONFIRMATION_MEMBERS.filter(body.has))
      wrong.push({ message: `${JSON.stringify(name)} goes with "where"`, path: `/body/${name}` })
  const parsed = BulkTemplate.safeParse(shared, { reportInput: true })
  if (!parsed.success || wrong.length > 0)
    throw invalid([
      ...wrong,
      ...(parsed.success ? [] : toFaults('body', parsed.error.issues, { known: TEMPLATE_MEMBERS })),
    ])
  const undeclared = undeclaredMappings(procedure, parsed.data)
  // No process of a strict procedure can have a value there: every entry would fail.
  if (procedure.strict && undeclared.length > 0) throw invalid(undeclared)
  const plugin = await getPlugin(scope, pluginId)
  refuseStopped(plugin)
  const found = await findTemplates(scope, pluginId, parsed.data.templateName)
  const known = found.length > 0 ? [] : await listTemplateNames(scope, pluginId)
  const sending = { plugin, templates: { found, known }, procedure }
  chooseSender(plugin, parsed.data.whatsappPhoneNumberId, '/body/whatsappPhoneNumberId')
  const { templateName: name, language } = parsed.data
  chooseTemplate(found, { name, language, defaultLanguage: plugin.defaultLanguage }, known)
  const misfit = findMisfit(sending, parsed.data)
  const template = { pluginId: plugin.id, ...parsed.data }
  if (byWhere) {
    if (misfit) throw misfit
    const where = body.member('where')
    const warnings = await requireConfirmation(scope, procedure, body, { undeclared })
    const find = (wanted: RequestedNames) => findNames(scope, procedure, wanted)
    const found = await findFirstPage(
      { apiType: MESSAGE_TYPE, apiData: template, where, moment: scope.now, consent: readConfirmation(body) },
      settings,
      find,
    )
    return { ...found, template: name, warnings: () => warnings }
  }
  requireItems(body, PROCESSES)
  // Where each says something of its own, only each can tell whether it is whole.
  if (misfit && first?.bytes && !saysOwn(parseValue(first))) throw misfit
  const names = undeclaredInItems(procedure)
  const entries = async function* () {
    let index = 0
    for await (const item of items()) {
      yield readItem(item, MESSAGE_TYPE, sent => {
        names.noteReferences(index, attributesNamed(sent))
        return toEntry(sending, template, misfit, sent)
      })
      index += 1
    }
  }
  // Those that all messages share stand in the request itself.
  const warnings = () => [...warnUndeclared(undeclared, '/body'), ...names.warnings()]
  return { entries, template: name, warnings }
}

const saysOwn = (item: unknown): boolean => isObject(item) && OWN_MEMBERS.some(name => name in item)

const getShared = (body: BulkBody): Record<string, unknown> =>
  Object.fromEntries(TEMPLATE_MEMBERS.filter(body.has).map(name => [name, body.member(name)]))

/** Fills the template once, to hear of everything that it wants and does not get before anything is accepted. */
function findMisfit({ plugin, templates }: SendSource, template: BulkTemplate): AppError | undefined {
  try {
    createDraft(
      plugin,
      templates,
      withValues(template, () => SOME_TEXT),
    )
    return undefined
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

function toEntry(
  sending: SendSource,
  { pluginId, ...shared }: BulkTemplate & { pluginId: string },
  misfit: AppError | undefined,
  item: unknown,
): Entry {
  const { primaryKey } = sending.procedure
  const refused = (apiData: Entry['apiData'], refusal: AppError): Entry => ({
    apiType: MESSAGE_TYPE,
    apiData,
    invalid: toFailure(refusal),
  })
  if (!isObject(item)) return refused({ item }, invalid([{ message: 'an item must be an object', path: '/body' }]))
  const faults: Fault[] = []
  const { id, ...rest } = item
  const [key, own] = takeOut(rest, primaryKey)
  const address = readAddress(primaryKey, id, key, faults)
  for (const name of Object.keys(own).filter(each => !OWN_MEMBERS.includes(each)))
    faults.push({ message: `unknown field ${JSON.stringify(name)}`, path: `/body/${name}` })
  const isWhole = faults.length === 0
  const known = Object.fromEntries(Object.entries(own).filter(([name]) => OWN_MEMBERS.includes(name)))
  const parsed = BulkTemplate.safeParse({ ...shared, ...known }, { reportInput: true })
  if (!parsed.success) faults.push(...toFaults('body', parsed.error.issues, { known: OWN_MEMBERS }))
  // Without what can't be read it would be another message: it is kept as it was sent.
  const apiData = isWhole
    ? { pluginId, ...(parsed.success ? parsed.data : { ...shared, ...known }), ...address }
    : { pluginId, ...address, item }
  if (parsed.success && sending.procedure.strict && saysOwn(own))
    faults.push(...undeclaredMappings(sending.procedure, parsed.data))
  if (faults.length > 0 || !parsed.success) return refused(apiData, invalid(faults))
  const refusal = saysOwn(own) ? findMisfit(sending, parsed.data) : misfit
  return refusal ? refused(apiData, refusal) : { apiType: MESSAGE_TYPE, apiData }
}
