import { VERSION } from '../health.ts'
import type { About } from '../http/openapi/document.ts'
import { explain } from './errors.ts'

/** The groups of the reference, in its order. */
export const TAGS = [
  { name: 'Processes', description: 'The records of a procedure: created, found, changed, deleted, restored.' },
  { name: 'Background jobs', description: 'Bulk requests, and what became of each of their entries.' },
  { name: 'Messages', description: 'Template messages to customers, and what became of them.' },
  { name: 'Plugins', description: 'Connections to a messaging provider, and their templates.' },
  { name: 'Procedures', description: 'The models that processes follow: states, attributes, primary key.' },
  { name: 'Configuration', description: 'Everything that is needed to resolve an id.' },
  { name: 'Users', description: 'The people of a team.' },
  { name: 'API keys', description: 'Tokens, their roles, their end.' },
  { name: 'About the service', description: 'What needs no token.' },
] as const

export const about: About = {
  title: 'Caseworker',
  version: VERSION,
  description: `Business workflows by HTTP: define procedures, then create, find and change their processes one by one or by the thousand.

Every answer is an object with \`_data\`, \`_meta\` and \`_errors\`. On success \`_errors\` is empty; otherwise it holds plain sentences, and \`_meta.errors\` the same for machines: a stable \`code\`, the \`path\` of the fault in the request, often a \`hint\` with the correction, and \`docs\`, where the code is explained.

An address that does not exist is answered with 404 \`not_found\`, and one that exists without the method with 405 \`method_not_allowed\`.

Times are epoch milliseconds, ids are UUIDs. Start with [the first ten minutes](/docs/start).`,
  tags: TAGS,
  explain,
}
