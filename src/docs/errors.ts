import { z } from 'zod'
import type { ErrorCode } from '../errors.ts'
import type { Explained } from './explained.ts'
import { MESSAGE, PROVIDER_ERRORS } from './provider-errors.ts'

const EXPLAINED = {
  malformed_json: {
    title: 'The body is not JSON',
    cause: 'The body is empty, cut off, or not JSON. The message says where reading stopped.',
    remedy:
      'Send valid JSON in UTF-8. A shell often eats quotes: put the body into a file and send it with `-d @body.json`.',
    retry: 'no',
    example: { message: 'the body is empty; it must be JSON', path: '/body' },
  },
  invalid_request: {
    title: 'Something in the request is wrong',
    cause:
      'A member is unknown, missing, of the wrong type or out of its range; a value does not fit the procedure; a filter is not understood. Every fault of the request is listed, each with its place.',
    remedy:
      'Correct what `path` points to; it is a JSON Pointer into the request (`/body/data/score`, `/query/limit`). Where the correction is plain, `hint` carries it.',
    retry: 'no',
    example: {
      message: 'there is no state "CONTACTD"',
      path: '/body/state',
      hint: 'did you mean "CONTACTED"?',
    },
    detail: { languages: z.array(z.string()), status: z.string(), statusReason: z.string(), wants: z.looseObject({}) },
  },
  unauthenticated: {
    title: 'No valid token',
    cause: 'The `authorization` header is missing, or its token is mistyped, expired or revoked.',
    remedy: 'Send `authorization: Bearer <token>` with a live token. Keys are made with `POST /v1/ext/api-key`.',
    retry: 'no',
    example: {
      message: 'the authorization header is missing',
      path: '/header/authorization',
      hint: 'send authorization: Bearer <token>',
    },
    headers: ['WWW-Authenticate'],
  },
  permission_denied: {
    title: 'The role does not allow it',
    cause:
      'The token is good, but its role lacks the permission that the route needs; the fault names it in `permission`.',
    remedy: 'Use a key of a role that has the permission. `GET /v1/ext/config` lists the roles and what each may do.',
    retry: 'no',
    example: { message: 'the role viewer lacks the permission process:write', detail: { permission: 'process:write' } },
    detail: { permission: z.string() },
  },
  not_found: {
    title: 'There is no such thing',
    cause:
      'The address leads nowhere, or to something that was deleted or never existed. What belongs to another team is answered in exactly the same way.',
    remedy:
      'Check the id and the procedure in the address. A deleted process can be brought back with `POST …/restore`.',
    retry: 'no',
    example: { message: 'process 01935c1e-5a00-7a3c-9d1e-6f2b8c4d0e1f not found' },
  },
  method_not_allowed: {
    title: 'The address has no such method',
    cause: 'The address exists, but not with this method.',
    remedy: 'Use one of the methods that the `allow` header lists.',
    retry: 'no',
    example: { message: '/v1/ext/users has no DELETE; it has GET, HEAD' },
    headers: ['Allow'],
  },
  conflict: {
    title: 'It contradicts what is there',
    cause:
      'What was asked is well formed, but the present state of things does not allow it: a name is taken, a thing has changed.',
    remedy: 'Read the message, fetch what is there now, and decide again.',
    retry: 'no',
    example: { message: 'a user has this username already', path: '/body/username' },
    detail: { deliveryStatus: z.string(), resentAs: z.string() },
  },
  duplicate_primary_key: {
    title: 'The primary key is taken',
    cause: 'Another process of the procedure has this primary key already; the fault names it in `processId`.',
    remedy: 'Update that process, or use `PUT` on the collection, which creates or updates by primary key.',
    retry: 'no',
    example: {
      message: 'a process with lead_id "LEAD-7" exists already',
      path: '/body/data/lead_id',
      detail: { processId: '01935c1e-5a00-7a3c-9d1e-6f2b8c4d0e1f' },
    },
    detail: { processId: z.string() },
  },
  transition_not_allowed: {
    title: 'The state can not follow',
    cause:
      'The procedure says which states may follow the present one, and this is none of them; `allowed` lists those that are.',
    remedy: 'Move to an allowed state first.',
    retry: 'no',
    example: {
      message: 'from OPENED a process can move to ASSIGNED, SOLVED, not to WAITING',
      path: '/body/state',
      detail: { allowed: ['ASSIGNED', 'SOLVED'] },
    },
    detail: { allowed: z.array(z.string()) },
  },
  definition_in_use: {
    title: 'Processes stand in the way of the new definition',
    cause:
      'The new definition drops a state that processes are in, or changes the primary key of a procedure that has processes.',
    remedy: 'Move the processes that are counted in `processes` out of the state first, or keep the state.',
    retry: 'no',
    example: {
      message: 'the state "WAITING" can\'t be removed: 3 processes are in it',
      path: '/body/states',
      detail: { state: 'WAITING', processes: 3 },
    },
    detail: { state: z.string(), processes: z.int() },
  },
  no_phone_number: {
    title: 'Nobody to send to',
    cause: "Neither the procedure's phone attribute nor the record of the process holds a phone number.",
    remedy: 'Set the phone attribute of the process, or send to a phone number directly.',
    retry: 'no',
    example: { message: 'the process has no phone number' },
  },
  plugin_stopped: {
    title: 'The plugin is stopped',
    cause: 'The provider refuses everything that this plugin sends, for the reason that the message tells.',
    remedy: 'Mend what the provider complains of, and say so with `PUT /v1/ext/plugin/whatsapp/<pluginId>`.',
    retry: 'no',
    example: {
      message: 'the plugin is stopped: the access token has expired',
      path: '/path/pluginId',
      detail: { plugin: '01935c1e-5a00-700a-8a9b-7c8d9eafb0c1', stoppedAt: 1795276206000 },
    },
    detail: { plugin: z.string(), stoppedAt: z.int() },
  },
  precondition_failed: {
    title: 'It has changed meanwhile',
    cause: 'The entity tag in `if-match` is not the present one: somebody changed the process since it was fetched.',
    remedy: 'Fetch it again, look at what changed, and send the change with the new `etag`.',
    retry: 'no',
    example: { message: 'the process has changed since', path: '/header/if-match' },
  },
  request_too_large: {
    title: 'The body is too large',
    cause: 'The body is larger than the route takes. The message states the limit.',
    remedy: 'Split the request, or use a bulk route.',
    retry: 'no',
    example: { message: 'the body is larger than 1048576 bytes', path: '/body' },
  },
  unsupported_media_type: {
    title: 'Not the content type that is wanted',
    cause: 'The `content-type` header is missing or is not the one that the route takes.',
    remedy: 'Send `content-type: application/json`. With `-d`, curl sends a form unless it is told otherwise.',
    retry: 'no',
    example: {
      message: 'the body must be JSON',
      path: '/header/content-type',
      hint: 'send content-type: application/json',
    },
  },
  idempotency_key_reused: {
    title: 'The idempotency key belongs to another request',
    cause: 'The key was used within the last 24 hours for a request with another address or another body.',
    remedy: 'Make a new key for each new request, and use the old one only to repeat the same request.',
    retry: 'no',
    example: { message: 'this idempotency key was used for another request', path: '/header/idempotency-key' },
  },
  request_in_progress: {
    title: 'The first request with this key still runs',
    cause: 'A request with the same idempotency key has been accepted and is not finished.',
    remedy: 'Wait as long as `retry-after` says, and repeat it: then it gets the answer of the first one.',
    retry: 'yes',
    example: { message: 'the first request with this idempotency key is still running' },
    headers: ['Retry-After'],
    detail: MESSAGE,
  },
  rate_limited: {
    title: 'Too many calls with this key',
    cause:
      'The key has used up the calls that its role has in a minute. Other keys, and other teams, are not affected.',
    remedy:
      'Wait as long as `retry-after` says. To change many processes, use a bulk route: one call instead of thousands.',
    retry: 'yes',
    example: { message: 'more than 12000 calls in 60 seconds with this key', hint: 'try again in 12 seconds' },
    headers: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  },
  ...PROVIDER_ERRORS,
  storage_unavailable: {
    title: 'The database is overloaded or out of reach',
    cause: 'The database did not do its part in time. What only reads has been tried again already.',
    remedy:
      'Wait as long as `retry-after` says, and try again. With an idempotency key a change can be repeated without harm.',
    retry: 'with an idempotency key',
    example: { message: 'the database is overloaded', hint: 'nothing was changed; try again' },
    headers: ['Retry-After'],
    detail: { messageId: z.string() },
  },
  internal_error: {
    title: 'Our mistake',
    cause: 'Something went wrong on our side that should not have.',
    remedy:
      'Tell us the `requestId`; it is in `_meta` and in the header `x-request-id`, and leads us to what happened.',
    retry: 'with an idempotency key',
    example: { message: 'something went wrong on our side; quote the request id to us' },
  },
} as const satisfies Record<ErrorCode, Explained>

const byCode: Record<ErrorCode, Explained> = EXPLAINED

export const explain = (code: ErrorCode): Explained => byCode[code]
