import type { Context } from 'hono'
import { readLogRetention } from '../event/settings.ts'
import { noteFeedOn } from '../event/signal/signal.ts'
import type { AppEnv } from '../http/context.ts'
import { jsonResponse } from '../http/response/envelope.ts'
import { route } from '../http/route.ts'
import { isObject } from '../http/shapes.ts'
import { getCipher } from '../plugin/secret/cipher.ts'
import { scheduleFirstScans } from '../process/due/schedule.ts'
import {
  addressFaults,
  createWebhook,
  deleteWebhook,
  listWebhooks,
  recallSecret,
  rotateSecret,
  showWebhook,
  updateWebhook,
  type WebhookSettings,
} from './operations.ts'
import { NewWebhook, SecretRotation, UpdateWebhook, WebhookPath } from './schema.ts'
import { readAddressPolicy } from './settings.ts'
import { viewIssuedWebhook, viewWebhook } from './view.ts'
import { notifyEndpointsChanged, notifySecretRotated, wakeEndpoint } from './wake-endpoint.ts'

const WEBHOOKS = '/v1/ext/webhook'
const WEBHOOK = `${WEBHOOKS}/:webhookId`

const getWebhookSettings = ({ env }: Context<AppEnv>): WebhookSettings => ({
  cipher: getCipher(env),
  policy: readAddressPolicy(env),
  keptSince: Date.now() - readLogRetention(env).feedMs,
})

/** Checks the address even if the body has other faults, so that all of them are reported at once. */
const validateFurther = async ({ env, body }: { env: Env; body: unknown }) =>
  isObject(body) ? addressFaults(body.url, readAddressPolicy(env)) : []

export const webhookRoutes = [
  route({
    id: 'listWebhooks',
    method: 'get',
    path: WEBHOOKS,
    summary: 'List webhooks',
    etag: true,
    permission: 'webhook:read',
    perform: ({ c, scope }) => listWebhooks(scope, getCipher(c.env)),
    respond: (rows, { scope }) =>
      jsonResponse(
        200,
        rows.map(row => viewWebhook(row, scope.team, scope.now)),
      ),
  }),
  route({
    id: 'createWebhook',
    method: 'post',
    path: WEBHOOKS,
    summary: 'Create a webhook',
    permission: 'webhook:write',
    body: NewWebhook,
    validateFurther,
    perform: async ({ c, scope, body }) => {
      // The first one switches the event feed on.
      await scheduleFirstScans(c.env, scope.team)
      const issued = await createWebhook(scope, getWebhookSettings(c), body, c.get('may'))
      noteFeedOn(scope.team.no)
      await notifyEndpointsChanged(c.env, scope)
      return issued
    },
    refreshOutcome: (kept, { c, scope }) => recallSecret(scope, getCipher(c.env), kept),
    respond: (issued, { scope }) =>
      jsonResponse(201, viewIssuedWebhook(issued, scope.team, scope.now), {
        headers: { location: `${WEBHOOKS}/${issued.row.id}` },
      }),
  }),
  route({
    id: 'getWebhook',
    method: 'get',
    path: WEBHOOK,
    summary: 'Fetch a webhook',
    etag: true,
    permission: 'webhook:read',
    params: WebhookPath,
    perform: ({ c, scope, params }) => showWebhook(scope, getCipher(c.env), params.webhookId),
    respond: (row, { scope }) => jsonResponse(200, viewWebhook(row, scope.team, scope.now)),
  }),
  route({
    id: 'updateWebhook',
    method: 'put',
    path: WEBHOOK,
    summary: 'Update a webhook',
    permission: 'webhook:write',
    params: WebhookPath,
    body: UpdateWebhook,
    validateFurther,
    perform: async ({ c, scope, params, body }) => {
      if (body.enabled) await scheduleFirstScans(c.env, scope.team)
      const named = { id: params.webhookId, change: body }
      const row = await updateWebhook(scope, getWebhookSettings(c), named, c.get('may'))
      if (row.enabled) noteFeedOn(scope.team.no)
      await notifyEndpointsChanged(c.env, scope)
      wakeEndpoint(c, scope, row.id)
      return row
    },
    respond: (row, { scope }) => jsonResponse(200, viewWebhook(row, scope.team, scope.now)),
  }),
  route({
    id: 'deleteWebhook',
    method: 'delete',
    path: WEBHOOK,
    summary: 'Delete a webhook',
    permission: 'webhook:write',
    params: WebhookPath,
    perform: async ({ c, scope, params }) => {
      const row = await deleteWebhook(scope, getCipher(c.env), params.webhookId)
      await notifyEndpointsChanged(c.env, scope)
      wakeEndpoint(c, scope, row.id)
      return row
    },
    respond: (row, { scope }) => jsonResponse(200, viewWebhook(row, scope.team, scope.now)),
  }),
  route({
    id: 'rotateWebhookSecret',
    method: 'post',
    path: `${WEBHOOK}/rotate-secret`,
    summary: 'Rotate a signing secret',
    permission: 'webhook:write',
    params: WebhookPath,
    body: SecretRotation,
    perform: async ({ c, scope, params, body }) => {
      const rotation = { id: params.webhookId, overlapSeconds: body.overlapSeconds }
      const issued = await rotateSecret(scope, getCipher(c.env), rotation, c.get('may'))
      await notifySecretRotated(c.env, scope, issued.row.id)
      return issued
    },
    refreshOutcome: (kept, { c, scope }) => recallSecret(scope, getCipher(c.env), kept),
    respond: (issued, { scope }) => jsonResponse(200, viewIssuedWebhook(issued, scope.team, scope.now)),
  }),
]
