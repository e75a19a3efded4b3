import admin from './guides/admin.md'
import bulk from './guides/bulk.md'
import client from './guides/client.md'
import costs from './guides/costs.md'
import customers from './guides/customers.md'
import errors from './guides/errors.md'
import events from './guides/events.md'
import history from './guides/history.md'
import keys from './guides/keys.md'
import limits from './guides/limits.md'
import messages from './guides/messages.md'
import moving from './guides/moving.md'
import pages from './guides/pages.md'
import procedures from './guides/procedures.md'
import queries from './guides/queries.md'
import retries from './guides/retries.md'
import running from './guides/running.md'
import start from './guides/start.md'

interface Guide {
  slug: string
  text: string
  /** The operation that the guide is about. Without it, the guide is left out. */
  needs?: string
}

/** In the order of the menu. The first line is the title. */
export const GUIDES: readonly Guide[] = [
  { slug: 'start', text: start },
  { slug: 'procedures', text: procedures },
  { slug: 'queries', text: queries },
  { slug: 'customers', text: customers, needs: 'getRecord' },
  { slug: 'history', text: history, needs: 'listHistoryById' },
  { slug: 'bulk', text: bulk, needs: 'bulkUpdateProcesses' },
  { slug: 'messages', text: messages, needs: 'sendTemplateMessageForProcess' },
  { slug: 'events', text: events, needs: 'createWebhook' },
  { slug: 'pages', text: pages, needs: 'signIn' },
  { slug: 'admin', text: admin, needs: 'signIn' },
  { slug: 'keys', text: keys, needs: 'createApiKey' },
  { slug: 'retries', text: retries },
  { slug: 'client', text: client },
  { slug: 'errors', text: errors },
  { slug: 'limits', text: limits },
  { slug: 'costs', text: costs },
  { slug: 'moving', text: moving },
  { slug: 'running', text: running },
]

export const titleOf = ({ text }: Guide): string => /^# (.+)$/m.exec(text)?.[1] ?? ''
