/// <reference types="vite/types/importMeta.d.ts" />

import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { PAGE_ROWS } from '../../src/admin/process/list/held-pages.ts'
import { TRUST_MS } from '../../src/auth/owner-cache.ts'
import { ENTRIES_MAX, STREAM_ENTRIES_MAX } from '../../src/background-job/accept/pack-chunks.ts'
import { BULK_BODY_BYTES_MAX, STREAM_BODY_BYTES_MAX } from '../../src/background-job/accept/request.ts'
import { STREAMS_MAX } from '../../src/background-job/run/report-progress.ts'
import { PAGE_SIZE } from '../../src/client/pages.ts'
import { DOCUMENT_BYTES_MAX } from '../../src/db/document/size.ts'
import limits from '../../src/docs/guides/limits.md?raw'
import { WAIT_SECONDS_MAX } from '../../src/feed/schema.ts'
import { BODY_BYTES_MAX } from '../../src/http/request/json-body.ts'
import { BODY_LEVELS_MAX } from '../../src/http/request/levels.ts'
import { LIST_LIMIT_MAX } from '../../src/http/request/paging.ts'
import { MEDIA_BYTES_MAX } from '../../src/message/media/file-types.ts'
import { INDEXED_TEXT_LENGTH_MAX } from '../../src/procedure/model.ts'
import { INDEXED_ATTRIBUTES_MAX } from '../../src/procedure/schema.ts'
import { GROUPS_MAX } from '../../src/process/query/aggregate/figures.ts'
import { GROUP_FIELDS_MAX, METRICS_MAX } from '../../src/process/query/aggregate/parsed-aggregate.ts'
import {
  CONDITIONS_MAX,
  FILTER_BYTES_MAX,
  NESTED_QUERIES_MAX,
  VALUES_PER_LIST_MAX,
} from '../../src/process/query/read/filter.ts'
import { CONTAINED_CHARACTERS_MAX, PATTERN_CHARACTERS_MAX } from '../../src/process/query/read/text-match.ts'
import { DATA_KEYS_MAX, NAME_LENGTH_MAX, PRIMARY_KEY_LENGTH_MAX } from '../../src/process/rules.ts'
import { SECOND_MS } from '../../src/time-units.ts'
import { USERS_MAX } from '../../src/user/store.ts'
import wrangler from '../../wrangler.toml?raw'

const MIB = 1024 * 1024
const MB = 1_000_000
const shown = (count: number) => count.toLocaleString('en-US')

const LIMITS: [string, string[]][] = [
  ['body of a request', [`${BODY_BYTES_MAX / MIB} MiB`]],
  [
    'body of a bulk request',
    [
      ...[`${BULK_BODY_BYTES_MAX / MIB} MiB`, shown(ENTRIES_MAX)],
      ...[`${STREAM_BODY_BYTES_MAX / MB} MB`, shown(STREAM_ENTRIES_MAX)],
    ],
  ],
  ['nesting of a body', [shown(BODY_LEVELS_MAX)]],
  ['a page of a list', [shown(LIST_LIMIT_MAX)]],
  ['event streams of one job', [shown(STREAMS_MAX)]],
  ['users', [shown(USERS_MAX)]],
  ['an aggregation', [GROUP_FIELDS_MAX, METRICS_MAX, GROUPS_MAX].map(shown)],
  [
    'a query',
    [
      NESTED_QUERIES_MAX,
      CONDITIONS_MAX,
      VALUES_PER_LIST_MAX,
      PATTERN_CHARACTERS_MAX,
      CONTAINED_CHARACTERS_MAX,
      FILTER_BYTES_MAX,
    ].map(shown),
  ],
  ['attributes of a process in one request', [shown(DATA_KEYS_MAX), shown(NAME_LENGTH_MAX)]],
  ['all `data` of a process', [shown(DOCUMENT_BYTES_MAX)]],
  ['a primary key', [shown(PRIMARY_KEY_LENGTH_MAX)]],
  ['text of an indexed attribute', [shown(INDEXED_TEXT_LENGTH_MAX)]],
  ['indexed attributes of a procedure', [shown(INDEXED_ATTRIBUTES_MAX)]],
  ['messages that jobs send from one number', [env.WHATSAPP_MESSAGES_PER_SECOND]],
  ['an uploaded image, video, document', [`${MEDIA_BYTES_MAX / MIB} MiB`]],
  ['a job and its entries are deleted after its end', [`${env.JOB_RETENTION_DAYS} days`]],
  ['a message is deleted', [`${env.MESSAGE_RETENTION_DAYS} days`]],
  ['a deleted process can be restored', [`${env.TRASH_RETENTION_DAYS} days`]],
  ['an uploaded file is deleted', [`${env.MEDIA_RETENTION_DAYS} days`]],
  ['an event is in', [`${env.EVENT_RETENTION_DAYS} days`]],
  ['a change is in the history', [`${env.HISTORY_RETENTION_DAYS} days`]],
  ['a request for events waits', [`${WAIT_SECONDS_MAX} seconds`]],
  ['a paused job ends', [`${env.JOB_PAUSE_DAYS} days`]],
  ...Object.entries(env.CALLS_PER_MINUTE).map(([role, calls]) => [role, [shown(calls)]] as [string, string[]]),
]

it.each(LIMITS)('the guide says the limit that the code has: %s', (what, values) => {
  const row = limits.split('\n').find(line => line.startsWith(`| ${what}`)) ?? ''
  for (const value of values) expect(row).toContain(value)
})

it('the client and the admin area read lists in the largest pages that there are', () => {
  expect({ client: PAGE_SIZE, admin: PAGE_ROWS }).toEqual({ client: LIST_LIMIT_MAX, admin: LIST_LIMIT_MAX })
})

it('the guide says how much unauthenticated callers and teams may use, as wrangler.toml has it', () => {
  const setting = (name: string) => Number(new RegExp(`^${name} = "(\\d+)"`, 'm').exec(wrangler)?.[1])
  const rate = (name: string) => Number(new RegExp(`name = "${name}"\\n.*\\n.*limit = (\\d+)`).exec(wrangler)?.[1])
  expect(limits).toContain(
    `for ${shown(setting('TEAM_DATABASE_MS_PER_SECOND'))} milliseconds of each second, and for ${shown(setting('TEAM_DATABASE_BURST_MS'))} at once`,
  )
  expect(limits).toContain(`Above ${rate('RATE_STRANGER')} in 10 seconds`)
  expect(limits).toContain(`An address may download ${shown(rate('RATE_MEDIA'))} media files a minute`)
})

it('the guide says how soon a revoked key stops working, and keeps a margin', () => {
  expect(limits).toContain('| until a revoked key stops working everywhere | 30 seconds |')
  expect(TRUST_MS).toBeLessThan(30 * SECOND_MS)
})
