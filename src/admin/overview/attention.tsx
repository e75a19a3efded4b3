import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import type { ApiKey, BackgroundJob, MessageCount, Plugin, Webhook } from 'caseworker'
import { useMay } from '../api/me.ts'
import { read } from '../api/read.ts'
import { Badge } from '../parts/badge.tsx'
import { toIsoDay } from '../parts/chart-days.ts'
import { Icon } from '../parts/icon.tsx'
import { messageCountsQuery } from '../parts/message/message-counts.ts'
import { Card } from '../parts/page.tsx'
import { FailureNote, Loading } from '../parts/states.tsx'
import { howMany } from '../parts/text/number-text.ts'
import { Time } from '../parts/time.tsx'
import { DAY_MS } from '../parts/times.ts'
import { type DueProcesses, useDue } from './due.ts'

/** Lists what does not continue by itself; each entry leads to the page where it can be put right. */
export function Attention() {
  const { concerns, isReading, error } = useConcerns()
  return (
    <Card title="Needs attention">
      {concerns.length > 0 && (
        <ul className="flex flex-col gap-2.5">
          {concerns.map(concern => (
            <ConcernLine key={concern.key} concern={concern} />
          ))}
        </ul>
      )}
      {isReading && <Loading lines={3} />}
      {error && <FailureNote error={error} />}
      {!isReading && !error && concerns.length === 0 && (
        <p className="flex items-center gap-2 py-4 text-ink-2">
          <Icon name="check" className="text-good" /> Everything goes on by itself.
        </p>
      )}
    </Card>
  )
}

function ConcernLine({ concern: { mark, tone, text, job, at, link } }: { concern: Concern }) {
  const words = job ? `${job.title}: ${text}` : text
  return (
    <li className="flex items-baseline gap-2">
      <Badge tone={tone}>{mark}</Badge>
      <Link {...link} title={words} className="min-w-0 flex-1 hover:underline max-sm:line-clamp-2 sm:truncate">
        {words}
      </Link>
      {at !== null && (
        <span className="text-[13px] text-ink-2">
          <Time at={at} isRelative />
        </span>
      )}
    </li>
  )
}

interface Concern {
  key: string
  /** The problem, in a few words. */
  mark: string
  tone: 'bad' | 'warn'
  text: string
  /** The job whose description comes before the text. */
  job?: BackgroundJob
  at: number | null
  link: LinkProps
}

const KEY_SOON_MS = 14 * DAY_MS
/** Older failures were seen, or are of no more use. */
const RECENT_DAYS = 7
const JOBS_SHOWN = 5

const toPluginConcerns = ({ id, name, status, statusMessage, stoppedAt, stoppedPhoneNumbers }: Plugin): Concern[] => {
  const link = { to: '/plugin/$pluginId' as const, params: { pluginId: id } }
  const stopped: Concern = {
    key: id,
    mark: 'Stopped',
    tone: 'bad',
    text: `${name}: ${statusMessage ?? ''}`,
    at: stoppedAt,
    link,
  }
  const numbers = stoppedPhoneNumbers.map(
    (number): Concern => ({
      ...stopped,
      key: number.id,
      text: `${name}, a number: ${number.statusMessage}`,
      at: number.stoppedAt,
    }),
  )
  return status === 'STOPPED' ? [stopped, ...numbers] : numbers
}

function toWebhookConcerns({ id, url, description, disabledAt, enabled, failingSince }: Webhook): Concern[] {
  const concern = {
    key: id,
    text: description === '' ? url : `${description}: ${url}`,
    link: { to: '/webhook/$webhookId' as const, params: { webhookId: id } },
  }
  if (!enabled) return disabledAt === null ? [] : [{ ...concern, mark: 'Disabled', tone: 'bad', at: disabledAt }]
  return failingSince === null ? [] : [{ ...concern, mark: 'Failing', tone: 'bad', at: failingSince }]
}

const toJobConcern = (job: BackgroundJob): Concern => ({
  key: job.id,
  job,
  mark: 'Failed in part',
  tone: 'warn',
  text: job.statusMessage ?? job.id,
  at: job.completedAt,
  link: { to: '/background-job/$jobId', params: { jobId: job.id } },
})

const toDueConcern = ({ procedure: { shortId, name }, count, where }: DueProcesses): Concern => ({
  key: `due ${shortId}`,
  mark: 'Due',
  tone: 'warn',
  text: `${name}: ${howMany(count, 'next action', 'next actions')} due`,
  at: null,
  link: {
    to: '/procedure/$procedureShortId/process',
    params: { procedureShortId: shortId },
    search: { where, sort: 'nextActionAt' },
  },
})

const MESSAGES = [
  { status: 'FAILED', mark: 'Not sent', words: 'failed' },
  { status: 'UNKNOWN', mark: 'Unknown', words: 'may have arrived or not' },
] as const

function toMessageConcerns(counts: readonly MessageCount[], from: string): Concern[] {
  return MESSAGES.flatMap(({ status, mark, words }) => {
    const count = counts
      .filter(each => each.status === status && (each.day ?? '') >= from)
      .reduce((sum, each) => sum + each.count, 0)
    if (count === 0) return []
    const text = `${count === 1 ? 'One message' : `${count.toLocaleString()} messages`} of the last ${RECENT_DAYS} days ${words}`
    return [{ key: status, mark, tone: 'warn', text, at: null, link: { to: '/message', search: { status, from } } }]
  })
}

const toKeyConcern = ({ id, name, expiresAt }: ApiKey): Concern => ({
  key: id,
  mark: 'Ends soon',
  tone: 'warn',
  text: `The API key ${name}`,
  at: expiresAt,
  link: { to: '/api-key', search: { id } },
})

/** Collects the problems that the reader's role may see, the worst first. */
function useConcerns() {
  const may = useMay()
  const plugins = useQuery({ ...read('listPlugins', {}), enabled: may('config:read') })
  const webhooks = useQuery({ ...read('listWebhooks', {}), enabled: may('webhook:read') })
  const keys = useQuery({ ...read('listApiKeys', {}), enabled: may('key:read') })
  const failed = useQuery({
    ...read('listJobs', { query: { completionStatus: 'ERROR', limit: JOBS_SHOWN } }),
    enabled: may('job:read'),
  })
  const now = Date.now()
  const messages = useQuery({ ...messageCountsQuery(now), enabled: may('message:read') })
  const due = useDue()
  const isSoon = ({ expiresAt, revokedAt }: ApiKey) =>
    revokedAt === null && expiresAt !== null && expiresAt > now && expiresAt - now < KEY_SOON_MS
  const concerns = [
    ...(plugins.data?.data.flatMap(toPluginConcerns) ?? []),
    ...(webhooks.data?.data.flatMap(toWebhookConcerns) ?? []),
    ...due.due.map(toDueConcern),
    ...(failed.data?.data.filter(job => now - job.completedAt < RECENT_DAYS * DAY_MS).map(toJobConcern) ?? []),
    ...toMessageConcerns(messages.data ?? [], toIsoDay(now - (RECENT_DAYS - 1) * DAY_MS)),
    ...(keys.data?.data.filter(isSoon).map(toKeyConcern) ?? []),
  ]
  const all = [plugins, webhooks, keys, failed, messages]
  return {
    concerns,
    isReading: due.isReading || all.some(query => query.isLoading),
    error: due.error ?? all.find(query => query.error)?.error,
  }
}
