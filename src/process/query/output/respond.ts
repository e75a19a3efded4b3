import { describeError } from '../../../describe-error.ts'
import type { Fault } from '../../../errors.ts'
import { getCompressionHeader } from '../../../http/response/compression.ts'
import { type JsonResponse, jsonResponse } from '../../../http/response/envelope.ts'
import { changeAddress, linkToNext } from '../../../http/response/next-page.ts'
import { formatWarningHeader, toWarningsMeta } from '../../../http/response/warnings.ts'
import type { Call } from '../../../http/route.ts'
import { withProcedure } from '../../../procedure/definition-cache.ts'
import type { Procedure } from '../../../procedure/model.ts'
import type { Scope } from '../../../scope.ts'
import { type ListRequest, type PreparedList, prepareList, type QueryPointers, writeListCursor } from '../list.ts'
import { RELEVANCE } from '../read/search.ts'
import { SCAN_LIMITS } from '../scan-limits.ts'
import { LIST_LIMIT_DEFAULT, type ListOutput } from '../schema.ts'
import { chooseFormat, FILE_BY_FORMAT, type ListFormat } from './format.ts'
import { type LoadedPart, readPage as readWholePage } from './parts.ts'
import { beginList, CutShortError, streamList } from './stream.ts'
import { openStream, requireRoomForStream, startStreamBudget } from './stream-budget.ts'
import { createWriter, type ListWriter } from './writer.ts'

type HttpCall = Call<unknown, unknown, unknown>['c']

interface ListInput {
  request: Omit<ListRequest, 'limit' | 'fields' | 'faults'> & {
    limit?: number | undefined
    fields?: readonly string[] | undefined
  }
  output: ListOutput
  pointers: QueryPointers
}

/** Responds with a page of a list, or with all of it, in the format that the caller accepts. */
export async function respondList(
  c: HttpCall,
  scope: Scope,
  reference: string,
  sent: ListInput,
): Promise<JsonResponse | Response> {
  const format = chooseFormat(c.req.header('accept'), sent.output.format)
  const request: ListRequest = {
    ...sent.request,
    limit: sent.request.limit ?? LIST_LIMIT_DEFAULT,
    fields: getFields(sent),
    faults: findOutputFaults(sent, format),
  }
  const prepare = (procedure: Procedure) => prepareList(scope, procedure, request, sent.pointers)
  const respondWith = { c, scope, format, sent }
  if (sent.output.all === 'true') return respondWithAll(respondWith, reference, prepare)
  const readPage = async (procedure: Procedure) => {
    const list = await prepare(procedure)
    return { list, part: await readWholePage(scope, list, { limit: request.limit, limits: SCAN_LIMITS }) }
  }
  const { list, part } = await withProcedure(scope, reference, readPage)
  return respondWithPage(respondWith, list, part)
}

interface ResponseContext {
  c: HttpCall
  scope: Scope
  format: ListFormat
  sent: ListInput
}

function respondWithPage({ c, scope, format, sent }: ResponseContext, list: PreparedList, part: LoadedPart) {
  const next = writeListCursor(list, part.next)
  const link = linkToNext(c, next && changeAddress(c, { cursor: next, skip: null }))
  const onward = { hasMore: next !== null, next }
  const writer = createListWriter({ c, scope, format, sent }, list)
  const rows = writer.rows(part.rows, part.identities)
  if (format === 'json')
    return jsonResponse(200, `[${rows}]`, { meta: { ...onward, ...toWarningsMeta(list.warnings) }, headers: link })
  const text = writer.head + rows + writer.checkpoint(onward)
  return new Response(text, { headers: { ...getHeaders(c, format, list), ...link } })
}

async function respondWithAll(
  { c, scope, format, sent }: ResponseContext,
  reference: string,
  prepare: (procedure: Procedure) => Promise<PreparedList>,
): Promise<Response> {
  requireRoomForStream(scope.team.id)
  const budget = startStreamBudget(scope.db.cost, c.get('isStillAuthorized'))
  const open = await beginList({ scope, reference, prepare, budget, withPermit: c.get('withPermit') })
  const writer = createListWriter({ c, scope, format, sent }, open.list)
  const requestId = c.get('requestId')
  const onBroken = (error: unknown) => {
    const line = { requestId, team: scope.team.id, stream: 'broken off', cause: describeError(error) }
    if (error instanceof CutShortError) console.info(JSON.stringify(line))
    else console.error(JSON.stringify(line))
  }
  return new Response(
    streamList(open, writer, onBroken, () => openStream(scope.team.id)),
    { headers: getHeaders(c, format, open.list) },
  )
}

const createListWriter = ({ c, scope, format, sent }: ResponseContext, list: PreparedList): ListWriter =>
  createWriter(list, {
    format,
    owner: { team: scope.team, procedure: list.procedure },
    requestId: c.get('requestId'),
    withCheckpoints: sent.output.checkpoints === 'true',
  })

/** Returns the headers. Cloudflare's edge compresses JSON; the other formats are compressed here. */
function getHeaders(c: HttpCall, format: ListFormat, { procedure, warnings }: PreparedList) {
  const { type, ending } = FILE_BY_FORMAT[format]
  const common = { 'content-type': type, vary: 'accept, accept-encoding' }
  if (format === 'json') return common
  return {
    ...common,
    'content-disposition': `attachment; filename="${procedure.shortId.replace(/[^\w.-]/g, '_')}.${ending}"`,
    ...formatWarningHeader(warnings),
    ...getCompressionHeader(c.req.raw),
  }
}

/** Returns the requested fields: one text in the query; a list in the body, for names that have a comma in them. */
function getFields({ request, output }: ListInput): ListRequest['fields'] {
  if (request.fields !== undefined) return { names: request.fields, getPath: nth => `/body/fields/${nth}` }
  if (output.fields === undefined) return undefined
  const names = output.fields.split(',').map(name => name.trim())
  return { names, getPath: () => '/query/fields' }
}

function findOutputFaults({ request, output, pointers }: ListInput, format: ListFormat): Fault[] {
  const faults: Fault[] = []
  const limitPath = pointers.where.startsWith('/body') ? '/body/limit' : '/query/limit'
  if (output.all === 'true' && request.search !== undefined && request.sort?.some(({ field }) => field === RELEVANCE))
    faults.push({
      message: `\`all=true\` has no order by \`${RELEVANCE}\`: leave one of them out`,
      path: pointers.sort,
    })
  if (output.all === 'true' && request.limit !== undefined)
    faults.push({ message: '`all=true` has no `limit`: leave one of them out', path: limitPath })
  if (output.checkpoints === 'true' && format !== 'ndjson')
    faults.push({
      message: 'only lines of JSON can have checkpoints',
      path: '/query/checkpoints',
      hint: 'format=ndjson',
    })
  if (request.fields !== undefined && output.fields !== undefined)
    faults.push({ message: 'send `fields` in the body or in the query, not in both', path: '/query/fields' })
  return faults
}
