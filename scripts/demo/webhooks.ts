import type { ApiResource, Caller, Place } from './caller.ts'

/** Creates one webhook that works, one that fails, and one that is switched off. The emulator has two receivers. */
export async function makeWebhooks({ call }: Caller, { provider }: Place): Promise<void> {
  const known = await call<ApiResource[]>('GET', '/v1/ext/webhook')
  const webhooks = [
    {
      url: `${provider}/receiver/accept`,
      description: 'Planning of the installers',
      types: ['process.created', 'process.updated'],
      procedures: ['enquiry', 'site_visit'],
    },
    {
      url: `${provider}/receiver/refuse`,
      description: 'Accounting: moved to another server?',
      types: ['background_job.completed', 'message.received'],
    },
    { url: `${provider}/receiver/accept?of=old`, description: 'The old CRM', enabled: false, order: 'strict' },
  ]
  for (const webhook of webhooks)
    if (!known.some(({ url }) => url === webhook.url)) await call('POST', '/v1/ext/webhook', webhook)
}
