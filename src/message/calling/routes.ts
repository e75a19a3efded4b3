import type { Hono } from 'hono'
import { AppError } from '../../errors.ts'
import type { AppEnv } from '../../http/context.ts'

/** What clients of the hosted product call for voice calls. A 404 would look like a mistyped address. */
const CALLING = ['settings', 'call_permissions', 'calls'].map(what => `/v1/whatsapp/:version/:phoneNumberId/${what}`)

export function mountCalling(app: Hono<AppEnv>): void {
  for (const path of CALLING)
    app.all(path, () => {
      throw new AppError('not_offered', [
        { message: 'voice calls are not offered here', hint: 'messages are: POST …/send-template-message' },
      ])
    })
}
