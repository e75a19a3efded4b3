import * as z from 'zod'
import { write } from '../../db/write.ts'
import { AppError } from '../../errors.ts'
import { toAuthorJson } from '../../event/append.ts'
import { newId } from '../../ids.ts'
import type { Scope } from '../../scope.ts'
import { isClearedByAnswer, readProviderError } from '../codes.ts'
import { getPlugin, type PluginRow, refuseUnreadablePlugin, withUnchangedPlugin } from '../operations.ts'
import { fetchProvider, type Provider } from '../provider.ts'
import type { Cipher } from '../secret/cipher.ts'
import { decryptSecret } from '../secret/encryption.ts'
import { guardNotSyncedSince, guardPluginVersion, markSynced } from '../stop.ts'
import { type ListedTemplate, replaceTemplates } from './changes.ts'

const PAGE_TEMPLATES = 200
/** Beyond this number of pages, the listing counts as endless. */
const PAGES_MAX = 50
const NO_LIST = 'the response of the provider is not a list of templates'
const FIELDS = 'id,name,language,category,status,rejected_reason,parameter_format,components'

const Page = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      language: z.string(),
      category: z.string(),
      status: z.string(),
      rejected_reason: z.string().optional(),
      parameter_format: z.string().default('POSITIONAL'),
      components: z.array(z.looseObject({ type: z.string() })),
    }),
  ),
  paging: z.object({ cursors: z.object({ after: z.string() }).optional(), next: z.string().optional() }).optional(),
})

/**
 * Takes over the provider's list, as a whole or not at all, for the plugin for which it was requested: if that has changed
 * meanwhile, it is requested again. It also shows that the plugin's token is good again, if it was not.
 */
export const syncTemplates = (
  scope: Scope,
  { cipher, provider }: { cipher: Cipher; provider: Provider },
  pluginId: string,
): Promise<{ templates: number }> =>
  withUnchangedPlugin(async () => {
    const row = await getPlugin(scope, pluginId)
    const at = Math.max(Date.now(), row.updatedAt)
    const listed = await listAtProvider(
      provider,
      row,
      await decryptSecret(cipher, row, 'accessToken').catch(refuseUnreadablePlugin(row)),
    )
    const by = toAuthorJson(scope)
    const synced = { templates: listed.length }
    const { db, idempotency } = scope
    await write(
      { db: db.reconnect(), idempotency },
      {
        guards: [guardPluginVersion(row), guardNotSyncedSince(row, at)],
        effect: [
          ...replaceTemplates(row, listed, { at, by }),
          ...markSynced(row, { at, by, clearsStop: row.stoppedBy !== null && isClearedByAnswer(row.stoppedBy) }),
        ],
        outcome: { json: JSON.stringify(synced) },
      },
    )
    return synced
  })

async function listAtProvider(provider: Provider, row: PluginRow, token: string): Promise<ListedTemplate[]> {
  const path = `/${row.graphVersion}/${row.businessAccountId}/message_templates`
  // A list that grows while its pages are read has a template on two of them. The later one counts.
  const listed = new Map<string, ListedTemplate>()
  let after: string | undefined
  for (let page = 1; page <= PAGES_MAX; page++) {
    const query = new URLSearchParams({ fields: FIELDS, limit: String(PAGE_TEMPLATES), ...(after ? { after } : {}) })
    const { data, paging } = await getPage(provider, `${path}?${query}`, token)
    for (const each of data) listed.set(JSON.stringify([each.name, each.language]), toListedTemplate(each))
    if (paging?.next === undefined) return [...listed.values()]
    after = paging.cursors?.after
    // What is not listed is removed, so a list whose rest can't be asked for is no list.
    if (after === undefined) throw new AppError('provider_unavailable', NO_LIST)
  }
  throw new AppError('provider_unavailable', "the provider's list of templates has no end")
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError'

async function getPage(provider: Provider, path: string, token: string): Promise<z.output<typeof Page>> {
  const ask = () => fetchProvider(provider, path, token, { method: 'GET' })
  // A connection that the other side has closed is found out only by using it, so a read is repeated once.
  const again = (error: unknown) => (isTimeout(error) ? Promise.reject(error) : ask())
  const reply = await ask()
    .catch(again)
    .catch((error: unknown) => {
      if (isTimeout(error))
        throw new AppError('provider_timeout', 'the provider did not list its templates in time; try again')
      throw new AppError('provider_unavailable', 'the provider could not be reached; try again')
    })
  const refused = readProviderError(reply.json)
  if (refused)
    throw new AppError('provider_refused', [
      {
        message: `the provider refused to list the templates: (${refused.code}) ${refused.title}`,
        hint: refused.advice,
        detail: { providerCode: refused.code, title: refused.title, details: refused.details, advice: refused.advice },
      },
    ])
  const page = Page.safeParse(reply.json)
  if (reply.status !== 200 || !page.success) throw new AppError('provider_unavailable', NO_LIST)
  return page.data
}

const toListedTemplate = (each: z.output<typeof Page>['data'][number]): ListedTemplate => ({
  id: newId(Date.now()),
  externalId: each.id,
  name: each.name,
  language: each.language,
  category: each.category,
  status: each.status,
  statusReason: each.rejected_reason ?? null,
  parameterFormat: each.parameter_format,
  components: each.components,
})
