import { VERSION } from '../health/version.ts'
import type { About } from '../http/openapi/document.ts'
import { EXAMPLE_ORIGIN } from '../http/public-origin.ts'
import { webhookRequestDocs } from '../webhook/request-docs.ts'
import { explainError } from './errors.ts'

/** The groups of the reference, in order. */
export const TAGS = [
  { name: 'Processes', description: 'Create, fetch, search, update, delete and restore processes.' },
  { name: 'Customers', description: 'Records: fetch, update and erase customers, their processes and messages.' },
  { name: 'Saved views', description: 'Kept queries with their columns, of a user or shared with the team.' },
  { name: 'Background jobs', description: 'Bulk requests and the results of their entries.' },
  { name: 'Messages', description: 'Template messages to customers and their delivery.' },
  { name: 'Events', description: 'The event feed: what happened, in its order, without gaps.' },
  { name: 'Webhooks', description: 'Where events are sent to, and what was delivered.' },
  { name: 'Plugins', description: 'Connected messaging accounts and their templates.' },
  { name: 'Procedures', description: 'Definitions of processes: states, attributes, primary key.' },
  { name: 'Configuration', description: 'All ids and short ids of the team.' },
  { name: 'Users', description: 'The people of a team.' },
  { name: 'Sessions', description: 'Signing in to the admin area, and out.' },
  { name: 'API keys', description: 'Tokens with their roles and expiry.' },
  { name: 'Requests and usage', description: 'What was asked by whom, and what it took and costs.' },
  { name: 'Service', description: 'The state of the service.' },
] as const

export const about: About = {
  title: 'Caseworker',
  version: VERSION,
  server: EXAMPLE_ORIGIN,
  description: `An API for business workflows: define procedures, then create, search and update their processes, one by one or in bulk.

Each response is an object with \`_data\`, \`_meta\` and \`_errors\`. On success \`_errors\` is empty. Otherwise it has sentences for people, and \`_meta.errors\` the same errors for programs: a stable \`code\`, the \`path\` in the request, often a \`hint\` with the correction, and \`docs\`, the address of the explanation.

The response to an unknown path is 404 \`not_found\`, and to an unsupported method 405 \`method_not_allowed\`.

Times are epoch milliseconds, ids are UUIDs. Start with [the first ten minutes](/docs/start).`,
  tags: TAGS,
  webhooks: webhookRequestDocs,
  explain: explainError,
}
