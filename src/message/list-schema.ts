import * as z from 'zod'
import { cursorQuery, limitQuery, SkipQuery } from '../http/request/paging.ts'
import { MessageFilterQuery } from './count/schema.ts'
import { PhoneNumber } from './schema.ts'

const PAGE_LIMIT_DEFAULT = 10
/** Filters of a list that is not of a process, a number or a job. */
const OF_ALL = ['status', 'plugin', 'template', 'from', 'to', 'direction'] as const
const OF_JOB = ['status'] as const

export const ListMessages = z
  .strictObject({
    process: z
      .uuid({ error: 'must be the id of a process (a UUID), not its primary key' })
      .transform(id => id.toLowerCase())
      .optional()
      .meta({ description: 'The id of a process.', examples: ['01935c1e-5a00-7a3c-9d1e-6f2b8c4d0e1f'] }),
    phoneNumber: PhoneNumber.optional().meta({
      description: 'A phone number with its country code, digits only.',
      examples: ['919448300007'],
    }),
    backgroundJob: z
      .uuid({ error: 'must be the id of a job (a UUID)' })
      .transform(id => id.toLowerCase())
      .optional()
      .meta({ description: 'The id of a job that sent messages.', examples: ['01935c1e-5a00-7008-8a9b-7c8d9eafb0c1'] }),
    ...MessageFilterQuery,
    direction: z
      .enum(['OUTBOUND', 'INBOUND'])
      .exactOptional()
      .meta({ description: 'Only ours, or only those of customers.', examples: ['OUTBOUND'] }),
    cursor: cursorQuery(100, '4823'),
    skip: SkipQuery,
    limit: limitQuery(PAGE_LIMIT_DEFAULT),
  })
  .refine(
    query => [query.process, query.phoneNumber, query.backgroundJob].filter(each => each !== undefined).length <= 1,
    {
      error: 'name at most one of process, phoneNumber and backgroundJob',
    },
  )
  .superRefine((query, ctx) => {
    const isOfJob = query.backgroundJob !== undefined
    const filters = OF_ALL.filter(name => query[name] !== undefined && !(isOfJob && OF_JOB.some(each => each === name)))
    const isOfAll = [query.process, query.phoneNumber, query.backgroundJob].every(each => each === undefined)
    if (!isOfAll)
      for (const name of filters)
        ctx.addIssue({
          code: 'custom',
          path: [name],
          message: isOfJob
            ? 'is for messages of the whole team: with a backgroundJob goes only status'
            : 'is for messages of the whole team: not with a process or phoneNumber',
        })
    else if (query.skip > 0)
      ctx.addIssue({
        code: 'custom',
        path: ['skip'],
        message: 'messages of the whole team have no skip; send the cursor',
      })
    else if ((query.from ?? 0) > (query.to ?? Number.POSITIVE_INFINITY))
      ctx.addIssue({ code: 'custom', path: ['from'], message: '`from` is later than `to`' })
    if (isOfJob && query.status !== undefined && query.skip > 0)
      ctx.addIssue({ code: 'custom', path: ['skip'], message: 'a list by status has no skip; send the cursor' })
  })
export type ListMessages = z.output<typeof ListMessages>
