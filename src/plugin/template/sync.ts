import { z } from 'zod'
import { AppError } from '../../errors.ts'
import type { Receipt } from '../../http/idempotency/record.ts'
import { newId } from '../../ids.ts'
import type { Scope } from '../../scope.ts'
import { clearsStop, readProviderError } from '../codes.ts'
import { decryptSecret, getPlugin } from '../operations.ts'
import { fetchProvider, type Provider } from '../provider.ts'
import type { Cipher } from '../secrets.ts'
import { syncedStatement } from '../stop.ts'
import type { Template } from './model.ts'
import { type Listed, listTemplateRows, replaceTemplates } from './statements.ts'

const PAGE_TEMPLATES = 200
/** Beyond this many pages the listing is taken to have no end. */
const PAGES_MAX = 50
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

export async function listTemplates(scope: Scope, pluginId: string): Promise<Template[]> {
  return listTemplateRows(scope, await getPlugin(scope, pluginId))
}

/** Takes the provider's listing, whole or not at all. It also shows that the plugin's token is good again, if it was not. */
export async function syncTemplates(
  scope: Scope,
  cipher: Cipher,
  provider: Provider,
  pluginId: string,
  receipt: Receipt,
): Promise<{ templates: number }> {
  const row = await getPlugin(scope, pluginId)
  const token = await decryptSecret(cipher, row, 'accessToken')
  const path = `/${row.graphVersion}/${row.businessAccountId}/message_templates`
  const listed: Listed[] = []
  let after: string | undefined
  for (let page = 1; page <= PAGES_MAX; page++) {
    const query = new URLSearchParams({ fields: FIELDS, limit: String(PAGE_TEMPLATES), ...(after ? { after } : {}) })
    const { data, paging } = await getPage(provider, `${path}?${query}`, token)
    listed.push(...data.map(each => listedOf(each, scope.now)))
    after = paging?.next === undefined ? undefined : paging.cursors?.after
    if (after === undefined) break
  }
  if (after !== undefined) throw new AppError('provider_unavailable', "the provider's list of templates has no end")
  const cleared = row.stoppedBy !== null && clearsStop(row.stoppedBy)
  const synced = { templates: listed.length }
  await scope.db.batch([
    ...replaceTemplates(scope, row, listed),
    syncedStatement(row, scope.now, cleared),
    ...receipt.of({ json: JSON.stringify(synced) }),
  ])
  return synced
}

async function getPage(provider: Provider, path: string, token: string): Promise<z.output<typeof Page>> {
  const reply = await fetchProvider(provider, path, token, { method: 'GET' }).catch((error: unknown) => {
    if (error instanceof Error && error.name === 'TimeoutError')
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
  if (reply.status !== 200 || !page.success)
    throw new AppError('provider_unavailable', 'the provider answered with something that is no list of templates')
  return page.data
}

const listedOf = (each: z.output<typeof Page>['data'][number], now: number): Listed => ({
  id: newId(now),
  externalId: each.id,
  name: each.name,
  language: each.language,
  category: each.category,
  status: each.status,
  statusReason: each.rejected_reason ?? null,
  parameterFormat: each.parameter_format,
  components: each.components,
})
