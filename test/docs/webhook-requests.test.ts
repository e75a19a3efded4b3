import { afterEach, describe, expect, it, vi } from 'vitest'
import { routes } from '../../src/app.ts'
import { EVENT_EXAMPLES } from '../../src/event-docs.ts'
import { EVENT_TYPES } from '../../src/event-types.ts'
import { SESSION_COOKIE } from '../../src/session/session-rules.ts'
import { attemptDelivery } from '../../src/webhook/endpoint/attempt.ts'
import { newWebhookSecret } from '../../src/webhook/sign.ts'
import { document, misfits } from '../support/document.ts'

const webhooks = Object.entries(document.webhooks)

afterEach(() => vi.restoreAllMocks())

describe('the requests of webhooks in the document', () => {
  it('are those of all types of event, each with its own body', () => {
    expect(webhooks.map(([name]) => name).sort()).toEqual([...EVENT_TYPES].sort())
    for (const [name, { post }] of webhooks) {
      const { schema } = post.requestBody.content['application/json']
      const others = webhooks.filter(([other]) => other !== name)
      const example = EVENT_EXAMPLES[name as keyof typeof EVENT_EXAMPLES]
      expect(misfits(name, schema, example)).toEqual([])
      for (const [other] of others)
        expect(misfits(name, schema, EVENT_EXAMPLES[other as keyof typeof EVENT_EXAMPLES])).not.toEqual([])
    }
    const names = webhooks.map(([, { post }]) => post.operationId)
    expect(names).toContain('onMessageStatusChanged')
    expect(names.filter(name => routes.some(({ id }) => id === name))).toEqual([])
  })

  it('have the headers that a delivery has', async () => {
    let sent = new Headers()
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
      sent = new Headers(init?.headers)
      return new Response('')
    })
    const receiver = {
      url: 'https://receiver.example.com',
      refused: null,
      timeoutMs: 1_000,
      secrets: [newWebhookSecret()],
    }
    await attemptDelivery(receiver, { id: 'evt_1', sequence: 1, body: '{}' })
    for (const [, { post }] of webhooks) {
      const documented = post.parameters.map(({ name }) => String(name))
      expect([...documented, 'content-type'].sort()).toEqual([...sent.keys()].sort())
      for (const { name, example } of post.parameters)
        expect(toShape(example), String(name)).toBe(toShape(sent.get(String(name)) ?? ''))
    }
  })
})

/** Replaces letters and digits, so that the shape of a value remains. */
const toShape = (text: string): string =>
  /^v1,[A-Za-z0-9+/]{43}=$/.test(text) ? 'signature' : text.startsWith('evt_') ? 'id' : text.replace(/\d+/, '9')

describe('the authentication in the document', () => {
  const getOperation = (id: string) =>
    Object.values(document.paths)
      .flatMap(methods => Object.values(methods) as { operationId: string; security?: object[] }[])
      .find(({ operationId }) => operationId === id)

  it('is by a token or by the cookie of a session, unless an operation says something else', () => {
    expect(document.security).toEqual([{ token: [] }, { session: [] }])
    expect(document.components.securitySchemes.session).toMatchObject({ in: 'cookie', name: SESSION_COOKIE })
    expect(getOperation('listProcesses')?.security).toBeUndefined()
    expect(getOperation('addPasskey')?.security).toEqual([{ session: [] }])
    expect(getOperation('challengePasskey')?.security).toEqual([{ session: [] }])
    expect(getOperation('signOut')?.security).toEqual([{}, { session: [] }])
    expect(getOperation('signIn')?.security).toEqual([])
    expect(getOperation('getHealth')?.security).toEqual([{}, { operator: [] }])
  })
})
