import * as z from 'zod'
import { CALLER_EXAMPLE, type DocsByType, NOBODY_EXAMPLE } from '../event/docs.ts'
import type { RouteDocs } from '../http/openapi/route-docs.ts'
import type { pluginEvents } from './events.ts'
import { type NewPlugin, PluginView, TemplateView } from './schema.ts'
import type { templateEvents } from './template/events.ts'

const tag = 'Plugins'

export const PLUGIN_EXAMPLE: PluginView = {
  id: '01935c1e-5a00-700a-8a9b-7c8d9eafb0c1',
  createdAt: 1795276206000,
  updatedAt: 1795276206000,
  team: '01935c1e-5a00-7000-8a4b-1c2d3e4f5a6b',
  type: 'WHATSAPP',
  name: 'Sales',
  businessAccountId: '102290129340398',
  phoneNumbers: [{ id: '106540352242922', displayNumber: '+1 555 078 3881' }],
  graphVersion: 'v23.0',
  defaultLanguage: null,
  status: 'ACTIVE',
  statusMessage: null,
  stoppedAt: null,
  stoppedPhoneNumbers: [],
  templatesSyncedAt: null,
  webhookPath: '/webhooks/whatsapp/0k7Q/01935c1e-5a00-700a-8a9b-7c8d9eafb0c1',
  areSecretsReadable: true,
  webhookUrl: 'https://api.example.com/webhooks/whatsapp/0k7Q/01935c1e-5a00-700a-8a9b-7c8d9eafb0c1',
}

export const TEMPLATE_EXAMPLE: TemplateView = {
  id: '01935c1e-5a00-700b-8a9b-7c8d9eafb0c1',
  externalId: '1667192013751005',
  name: 'visit_tomorrow',
  language: 'en',
  category: 'UTILITY',
  status: 'APPROVED',
  statusReason: null,
  parameterFormat: 'POSITIONAL',
  components: [{ type: 'BODY', text: 'Hello {{1}}, we come tomorrow.' }],
  updatedAt: 1795276206000,
}

const one = (description: string) => ({ description, data: PluginView, example: { data: PLUGIN_EXAMPLE } })

export const pluginDocs = {
  listPlugins: {
    tag,
    description: 'Plugins are returned without their secrets.',
    responses: {
      200: { description: 'The plugins of the team.', data: z.array(PluginView), example: { data: [PLUGIN_EXAMPLE] } },
    },
  },
  createPlugin: {
    tag,
    description: 'The secrets are encrypted; no response contains them. Register `webhookUrl` with the provider.',
    responses: { 201: { ...one('The new plugin.'), headers: ['Location'] } },
    example: {
      name: 'Sales',
      businessAccountId: '102290129340398',
      accessToken: 'EAAG…',
      appSecret: 'a1b2c3…',
      verifyToken: 'my-verify-token',
      phoneNumbers: [{ id: '106540352242922', displayNumber: '+1 555 078 3881' }],
    } satisfies z.input<typeof NewPlugin>,
  },
  getPlugin: {
    tag,
    description: 'With the reason if it is stopped.',
    responses: { 200: one('The plugin.') },
    errors: ['not_found'],
  },
  updatePlugin: {
    tag,
    description:
      'Only the fields that are sent are changed. Any update resumes a stopped plugin; `status: ACTIVE` alone does, too.',
    responses: { 200: one('The updated plugin.') },
    errors: ['not_found', 'conflict'],
    example: { status: 'ACTIVE' },
  },
  deletePlugin: {
    tag,
    description: 'Its messages are kept, its secrets are deleted.',
    responses: { 200: one('The deleted plugin.') },
    errors: ['not_found', 'conflict'],
  },
  syncTemplates: {
    tag,
    description: 'Replaces the stored list with the list of the provider, completely or not at all.',
    responses: {
      200: {
        description: 'The number of templates.',
        data: z.object({ templates: z.int().min(0).describe('How many templates the plugin has now.') }),
        example: { data: { templates: 12 } },
      },
    },
    errors: ['not_found', 'conflict', 'provider_refused', 'provider_timeout', 'provider_unavailable'],
  },
  listTemplates: {
    tag,
    description: 'The templates of the last sync. Only an APPROVED template can be sent.',
    responses: {
      200: { description: 'The templates.', data: z.array(TemplateView), example: { data: [TEMPLATE_EXAMPLE] } },
    },
    errors: ['not_found'],
  },
} satisfies Record<string, RouteDocs>

const { webhookUrl: _, areSecretsReadable: __, ...EVENT_PLUGIN } = PLUGIN_EXAMPLE
const REFUSAL = 'the provider refuses the account (131042): there is a problem with the payment'

export const pluginEventDocs: DocsByType<typeof pluginEvents> = {
  'plugin.stopped': {
    description: 'The provider refuses an account, or one of its phone numbers.',
    sequence: 5_026,
    data: {
      id: EVENT_PLUGIN.id,
      plugin: { ...EVENT_PLUGIN, status: 'STOPPED', statusMessage: REFUSAL, stoppedAt: 1795276206000 },
      isAccount: true,
      phoneNumbers: [],
      statusMessage: REFUSAL,
    },
    by: NOBODY_EXAMPLE,
  },
  'plugin.resumed': {
    description: 'An account, or one of its phone numbers, may send again.',
    sequence: 5_027,
    data: { id: EVENT_PLUGIN.id, plugin: EVENT_PLUGIN, isAccount: true, phoneNumbers: [], statusMessage: null },
    by: CALLER_EXAMPLE,
  },
}

export const templateEventDocs: DocsByType<typeof templateEvents> = {
  'template.changed': {
    description: 'A template is new, another one, or gone.',
    sequence: 5_028,
    data: {
      id: TEMPLATE_EXAMPLE.id,
      template: TEMPLATE_EXAMPLE,
      plugin: EVENT_PLUGIN.id,
      name: TEMPLATE_EXAMPLE.name,
      language: TEMPLATE_EXAMPLE.language,
      from: 'PENDING',
      to: 'APPROVED',
    },
    by: NOBODY_EXAMPLE,
  },
}
