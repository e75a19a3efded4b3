import { Hono } from 'hono'
import type { AccountEnv } from './account.ts'
import type { Template } from './catalogue.ts'
import { getStatus, graphError, type Refusal, refusal, traceId, unknownObject } from './errors.ts'
import { fileNode, findFile } from './files.ts'
import { FAULT_HEADER } from './network.ts'
import { receive } from './sending.ts'
import type { AccountDetails } from './settings.ts'
import { templates } from './store.ts'

const DEFAULT_PAGE = 25
const LARGEST_PAGE = 1_000
const FILTERS = ['name', 'language', 'status', 'category'] as const
const LISTED = ['name', 'parameter_format', 'components', 'language', 'status', 'category']

const refused = (fault: Refusal) => Response.json(graphError(fault), { status: getStatus(fault.code) })

/** The part of Meta's Graph API that a sender of messages needs. */
export const graph = new Hono<AccountEnv>().basePath('/:version')

graph.use(async (c, next) => {
  await next()
  c.header('facebook-api-version', c.req.param('version') ?? '')
  c.header('x-fb-trace-id', traceId())
  c.header('x-fb-request-id', traceId())
})

graph.post('/:phone/messages', async c => {
  const { account } = c.env
  const { details } = account
  const phone = details?.phoneNumbers.find(({ id }) => id === c.req.param('phone'))
  if (!details || !phone) return refused(unknownObject(c.req.param('phone')))
  const text = await c.req.text()
  const { status, body, fault } = receive(
    account,
    phone,
    text,
    tokenFault(details, c.req.header('authorization')),
    Date.now(),
  )
  await account.arm()
  return Response.json(body, { status, headers: fault ? { [FAULT_HEADER]: JSON.stringify(fault) } : {} })
})

graph.get('/:business/message_templates', c => {
  const fault = readFault(c.env.account.details, c.req.param('business'), c.req.header('authorization'))
  if (fault) return refused(fault)
  const query = c.req.query()
  const limit = Number(query.limit ?? DEFAULT_PAGE)
  if (!Number.isInteger(limit) || limit < 1 || limit > LARGEST_PAGE)
    return refused(refusal(100, `Param limit must be an integer from 1 to ${LARGEST_PAGE}`))
  const start = query.after === undefined ? 0 : cursorPosition(query.after)
  if (start === null) return refused(refusal(100, 'Invalid cursors values'))

  const found = templates(c.env.account.sql).filter(template =>
    FILTERS.every(name => query[name] === undefined || template[name] === query[name]),
  )
  const end = Math.min(start + limit, found.length)
  const next = new URL(c.req.url)
  next.searchParams.set('after', cursorAt(end))
  return c.json({
    data: found.slice(start, end).map(template => shown(template, query.fields)),
    ...(end > start
      ? {
          paging: {
            cursors: { before: cursorAt(start), after: cursorAt(end) },
            ...(end < found.length ? { next: next.href } : {}),
          },
        }
      : {}),
  })
})

graph.get('/:business/phone_numbers', c => {
  const { details } = c.env.account
  const fault = readFault(details, c.req.param('business'), c.req.header('authorization'))
  if (fault || !details) return refused(fault ?? unknownObject(c.req.param('business')))
  return c.json({
    data: details.phoneNumbers.map(phoneNode),
    paging: { cursors: { before: 'MAZDZD', after: 'MAZDZD' } },
  })
})

graph.get('/:phone', c => {
  const { details, sql } = c.env.account
  const file = details && findFile(sql, c.req.param('phone'))
  if (file) {
    const fault = tokenFault(details, c.req.header('authorization'))
    return fault
      ? refused(fault)
      : c.json(fileNode(file, `${new URL(c.req.url).origin}/files/${details.id}/${file.id}`))
  }
  const phone = details?.phoneNumbers.find(({ id }) => id === c.req.param('phone'))
  if (!details || !phone) return refused(unknownObject(c.req.param('phone')))
  const fault = tokenFault(details, c.req.header('authorization'))
  return fault ? refused(fault) : c.json(phoneNode(phone))
})

function tokenFault(details: AccountDetails, authorization: string | undefined): Refusal | null {
  if (authorization === `Bearer ${details.accessToken}`) return null
  return refusal(190, authorization ? 'The access token is not valid' : 'An access token is required')
}

const readFault = (details: AccountDetails | null, id: string, authorization: string | undefined): Refusal | null =>
  details?.id === id ? tokenFault(details, authorization) : unknownObject(id)

const cursorAt = (position: number): string => btoa(`at:${position}`)

function cursorPosition(cursor: string): number | null {
  try {
    const position = Number(/^at:(\d+)$/.exec(atob(cursor))?.[1])
    return Number.isNaN(position) ? null : position
  } catch {
    return null
  }
}

const shown = (template: Template, fields: string | undefined) =>
  Object.fromEntries(
    [...(fields?.split(',') ?? LISTED), 'id'].flatMap(name => (name in template ? [[name, template[name]]] : [])),
  )

const phoneNode = ({ id, displayNumber }: { id: string; displayNumber: string }) => ({
  verified_name: 'Local Test Company',
  code_verification_status: 'VERIFIED',
  display_phone_number: `+${displayNumber}`,
  quality_rating: 'GREEN',
  platform_type: 'CLOUD_API',
  throughput: { level: 'STANDARD' },
  id,
})
