import * as z from 'zod'
import type { ErrorCode, ReportedFault } from '../errors.ts'
import { EventAuthor } from '../event/author.ts'
import type { HeaderName } from '../http/openapi/headers.ts'

/** The explanation of an error code, in the reference and at `/docs/errors#<code>`, where each error points. */
interface ErrorExplanation {
  title: string
  cause: string
  remedy: string
  /** Whether the same request, sent again later, can succeed. */
  retry: 'no' | 'yes' | 'with an idempotency key'
  example: ReportedFault
  /** Fields of an error with this code, in addition to those of all errors. */
  detail?: Record<string, z.ZodType>
  /** Response headers, in addition to those of all responses. Not each response has all of them. */
  headers?: readonly HeaderName[]
}

/** Members of an error about a message. */
const MESSAGE_DETAIL = {
  messageId: z.string().describe('The message; it can be fetched and sent again.'),
  deliveryStatus: z.string().describe('Its delivery status.'),
}
const PROVIDER_DETAIL = {
  ...MESSAGE_DETAIL,
  providerCode: z.int().describe("The provider's code of the error."),
  title: z.string().describe("The provider's title of the error."),
  details: z.string().describe("The provider's description."),
  advice: z.string().describe('What to do.'),
  class: z
    .string()
    .describe(
      'What it means for sending: `retry`: a new message may succeed; `stop-entry`: this one cannot; `stop-sender`: the phone number is stopped; `stop-plugin`: the plugin is.',
    ),
  retryAfterSeconds: z.int().describe('How long to wait before a new message.'),
}

/** Members of an error about a request that does not fit its template. */
const TEMPLATE_DETAIL = {
  languages: z.array(z.string()).describe('The languages in which the template exists.'),
  status: z.string().describe('The status of the template at the provider.'),
  statusReason: z.string().describe('Why the provider rejected or paused the template.'),
  wants: z.looseObject({}).describe('The values that the template needs.'),
}

const EXPLANATIONS = {
  malformed_json: {
    title: 'The body is not JSON',
    cause: 'The body is empty, cut off, or not JSON. The message says where reading stopped.',
    remedy:
      'Send valid JSON in UTF-8. A shell often eats quotes: put the body into a file and send it with `-d @body.json`.',
    retry: 'no',
    example: { message: 'the body is empty; it must be JSON', path: '/body' },
  },
  invalid_request: {
    title: 'The request is invalid',
    cause:
      'A field is unknown, missing, of the wrong type or out of range, a value does not fit the procedure, or a filter is invalid. All errors of the request are listed.',
    remedy:
      'Correct what `path` points to; it is a JSON Pointer into the request (`/body/data/score`, `/query/limit`). `hint` has the correction if there is only one.',
    retry: 'no',
    example: {
      message: 'there is no state "CONTACTD"',
      path: '/body/state',
      hint: 'did you mean "CONTACTED"?',
    },
    detail: TEMPLATE_DETAIL,
  },
  unauthenticated: {
    title: 'No valid token',
    cause: 'The `authorization` header is missing, or its token is mistyped, expired or revoked.',
    remedy: 'Send `authorization: Bearer <token>` with a valid token. `POST /v1/ext/api-key` creates a key.',
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
    cause: 'The token is valid, but its role lacks the permission that the route needs. `permission` names it.',
    remedy: 'Use a key of a role that has the permission. `GET /v1/ext/config` lists the roles and their permissions.',
    retry: 'no',
    example: { message: 'the role viewer lacks the permission process:write', detail: { permission: 'process:write' } },
    detail: { permission: z.string().describe('The permission that the role lacks.') },
  },
  team_suspended: {
    title: 'The team is suspended',
    cause:
      'The token, sign-in link or passkey is valid, but the operator of the installation has suspended the team. Every request of the team is refused, its jobs, sends, webhooks and due actions rest, and nothing is lost.',
    remedy:
      'Ask the operator of the installation; sending it again is of no use before. When the team is resumed, keys, sessions and unused sign-in links work as before, within half a minute.',
    retry: 'no',
    example: {
      message: 'this team is suspended',
      hint: 'the operator of the installation has suspended it, and can resume it: nothing is lost, and all goes on then',
    },
  },
  not_found: {
    title: 'Not found',
    cause:
      'The path does not exist, or the resource was deleted or never existed. Resources of other teams have the same response.',
    remedy: 'Check the id and the procedure in the path. `POST …/restore` restores a deleted process.',
    retry: 'no',
    example: { message: 'process 01935c1e-5a00-7a3c-9d1e-6f2b8c4d0e1f not found' },
  },
  method_not_allowed: {
    title: 'The path does not support this method',
    cause: 'The path exists, but not with this method.',
    remedy: 'Use one of the methods that the `allow` header lists.',
    retry: 'no',
    example: { message: '/v1/ext/users has no DELETE; it has GET, HEAD' },
    headers: ['Allow'],
  },
  not_acceptable: {
    title: 'No such format',
    cause: 'The header `accept` takes no format that the route has. The message lists those that there are.',
    remedy: 'Send one of those, or no `accept`. A list also takes `?format=csv`, for programs that set no header.',
    retry: 'no',
    example: {
      message:
        'the accept header "text/html" takes nothing that there is: application/json, text/csv, application/x-ndjson',
      path: '/header/accept',
      hint: 'or send format=json, csv, excel, ndjson in the query',
    },
  },
  conflict: {
    title: 'Conflict with the present state',
    cause:
      'The request is valid, but the present state does not allow it: for example, a name is taken or a job has ended.',
    remedy: 'Read the message, fetch the present state, and decide again.',
    retry: 'no',
    example: { message: 'a user has this username already', path: '/body/username' },
    detail: {
      deliveryStatus: z.string().describe('The delivery status of the message.'),
      resentAs: z.string().describe('The message that sent it again.'),
      backgroundJob: z.string().describe('The job that applied the dry run.'),
      hasChangedNothing: z.literal(true).describe('The job that was to be undone has changed nothing.'),
    },
  },
  changed_since: {
    title: 'The process has changed since',
    cause:
      'An entry of a job was to take back what an earlier job did to a process, and the process is not as that job has left it; or it was to apply a dry run, which has seen another version of the process, none, or another number or text of a message. The message says who has changed the process, in `event`, `by` and `at` for programs, or that it is not there any more; where that is not known, or it is about a message, these are not there.',
    remedy:
      'Of a dry run, make another one, and look at what it would change now; of an undo, look at the history of the process, and decide by hand. The other entries of the job went on.',
    retry: 'no',
    example: {
      message:
        'since then the process was changed by entry 3 of the background job 01935c1e-5a00-7b21-8c3d-4e5f60718293, at 2026-11-21T15:51:06.000Z',
      detail: {
        event: 'process.updated',
        at: 1795276266000,
        by: {
          user: '01935c1e-5a00-7001-8f00-2b7d1c9e4a55',
          apiKey: null,
          session: null,
          request: null,
          job: '01935c1e-5a00-7b21-8c3d-4e5f60718293',
          entry: 3,
        },
      },
    },
    detail: {
      event: z.string().describe('What was done to it, as the type of its event.'),
      at: z.int().describe('When it was changed, in epoch milliseconds.'),
      by: EventAuthor.describe('Who has changed it.'),
    },
  },
  duplicate_primary_key: {
    title: 'The primary key is taken',
    cause: 'Another process of the procedure has this primary key. `processId` is its id.',
    remedy: 'Update that process, or use `PUT` on the collection, which creates or updates by primary key.',
    retry: 'no',
    example: {
      message: 'a process with lead_id "LEAD-7" exists already',
      path: '/body/data/lead_id',
      detail: { processId: '01935c1e-5a00-7a3c-9d1e-6f2b8c4d0e1f' },
    },
    detail: { processId: z.string().describe('The process that has the primary key.') },
  },
  record_merged: {
    title: 'The customer was merged into another',
    cause:
      'The request would erase or merge a customer by the id of one who was merged into another. `recordId` is the id of that one.',
    remedy:
      'If that one is meant, send their id. Requests that read or change a customer need no other id: the former leads there.',
    retry: 'no',
    example: {
      message: 'the record 01935c1e-5a00-7013-8c6d-3e4f5a6b7c8d was merged into 01935c1e-5a00-7004-8c6d-3e4f5a6b7c8d',
      path: '/path/recordId',
      hint: '01935c1e-5a00-7004-8c6d-3e4f5a6b7c8d',
      detail: { recordId: '01935c1e-5a00-7004-8c6d-3e4f5a6b7c8d' },
    },
    detail: { recordId: z.string().describe('The record that it was merged into.') },
  },
  duplicate_record: {
    title: 'The number or address is of another record',
    cause: 'The phone number or e-mail address in `data` identifies another record of the team. `recordId` is its id.',
    remedy: 'Update that record, or remove the value there first (`null`). One number belongs to one record of a team.',
    retry: 'no',
    example: {
      message: '"919448300007" identifies another record',
      path: '/body/data/phone_number',
      detail: { recordId: '01935c1e-5a00-7004-8c6d-3e4f5a6b7c8d' },
    },
    detail: { recordId: z.string().describe('The record that has the number or address.') },
  },
  transition_not_allowed: {
    title: 'This state may not follow',
    cause: 'The procedure restricts which states may follow the present one. `allowed` lists them.',
    remedy: 'Move to an allowed state first.',
    retry: 'no',
    example: {
      message: 'from OPENED a process can move to ASSIGNED, SOLVED, not to WAITING',
      path: '/body/state',
      detail: { allowed: ['ASSIGNED', 'SOLVED'] },
    },
    detail: { allowed: z.array(z.string()).describe('The states that the process can move to.') },
  },
  definition_in_use: {
    title: 'Processes prevent the new definition',
    cause:
      'The new definition removes a state that is in use, or changes the primary key of a procedure that has processes.',
    remedy: 'First move the processes to another state, or keep the state. `processes` is their number.',
    retry: 'no',
    example: {
      message: 'the state "WAITING" can\'t be removed: 3 processes are in it',
      path: '/body/states',
      detail: { state: 'WAITING', processes: 3 },
    },
    detail: {
      state: z.string().describe('The state that is in use.'),
      processes: z.int().describe('How many processes are in it.'),
    },
  },
  event_feed_off: {
    title: 'The event feed is off',
    cause: 'The team has not switched its event feed on, so not every event is kept.',
    remedy:
      'Switch it on with `PUT /v1/ext/event-feed` and the body `{"enabled": true}`. The first webhook does so, too.',
    retry: 'no',
    example: {
      message: 'the event feed is off',
      hint: 'switch it on with PUT /v1/ext/event-feed {"enabled": true}',
    },
  },
  sequence_expired: {
    title: 'The events are not kept any more',
    cause:
      'Events after the number in `after`, or of a replay, are older than the feed keeps them (30 days). `oldest` is the number of the oldest one that is kept.',
    remedy:
      'Read what you need anew, with lists for example. Then go on with `after` as `hint` says: from there on the feed has everything. A replay begins with `oldest`.',
    retry: 'no',
    example: {
      message: 'events after 4820 are not kept any more; the oldest one that is kept is 5017',
      path: '/query/after',
      hint: 'go on with after=5016',
      detail: { oldest: 5_017, latest: 5_340 },
    },
    detail: {
      oldest: z.int().describe('The number of the oldest event that is kept; one more than `latest` if none is.'),
      latest: z.int().describe("The number of the team's last event."),
    },
  },
  request_too_large: {
    title: 'The body is too large',
    cause: 'The body is larger than the route allows. The message states the limit.',
    remedy: 'Split the request, or use a bulk route.',
    retry: 'no',
    example: { message: 'the body is larger than 1048576 bytes', path: '/body' },
  },
  unsupported_media_type: {
    title: 'Unsupported content type',
    cause:
      'The header `content-type` is missing, or the route does not support it. Bulk requests also take CSV and lines of JSON, in UTF-8 and not compressed.',
    remedy: 'Send `content-type: application/json`. With `-d`, curl sends a form by default.',
    retry: 'no',
    example: {
      message: 'the body must be JSON',
      path: '/header/content-type',
      hint: 'send content-type: application/json',
    },
  },
  idempotency_key_reused: {
    title: 'The idempotency key belongs to another request',
    cause: 'The key was used within the last 24 hours for a request with another method, path, query string or body.',
    remedy: 'Use a new key for each new request, and the old one only to repeat the same request.',
    retry: 'no',
    example: { message: 'this idempotency key was used for another request', path: '/header/idempotency-key' },
  },
  request_in_progress: {
    title: 'The first request with this key is still running',
    cause: 'A request with the same idempotency key was accepted and has not finished.',
    remedy: 'Wait for the seconds in `retry-after`, then repeat the request. It returns the response of the first one.',
    retry: 'yes',
    example: { message: 'the first request with this idempotency key is still running' },
    headers: ['Retry-After'],
    detail: MESSAGE_DETAIL,
  },
  rate_limited: {
    title: 'Rate limit exceeded',
    cause:
      'The key has exceeded the requests per minute of its role; other keys and other teams are not affected. Or too many requests with an unknown token, a forged webhook or the path of no file came from one address. Or the calls of the team have used more time of the database than its share, or it has written as many rows today as whoever runs the installation lets it; the message says so.',
    remedy:
      'Wait for the seconds in `retry-after`. To change many processes, use a bulk route: one request instead of thousands. To use less time of the database, filter by indexed attributes and page with `cursor`.',
    retry: 'yes',
    example: {
      message: 'more than 12000 calls in 60 seconds with this key',
      hint: 'try again in 12 seconds',
      detail: { retryAfterSeconds: 12 },
    },
    headers: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
    detail: { retryAfterSeconds: z.int().describe('How long to wait before the next request.') },
  },
  history_expired: {
    title: 'That part of the history is not kept',
    cause:
      'The process was changed since the time or version that was asked for, and what it was before is not kept any more, or was changed before histories were kept. An entry that undoes another one ends with this where the change is as old: it has no fields of its own then.',
    remedy: 'Ask for a later time or version: `version` is the oldest one that is known, and `since` when it was made.',
    retry: 'no',
    example: {
      message: 'the history of the process is kept from version 7 on',
      detail: { version: 7, since: 1795276206000 },
    },
    detail: {
      version: z.int().describe('The oldest version that is known.'),
      since: z.int().describe('When it was made, in epoch milliseconds.'),
    },
  },
  precondition_failed: {
    title: 'The resource has changed',
    cause:
      'The entity tag in `if-match` is not the present one: the process or record has changed since it was fetched.',
    remedy: 'Fetch it again, and send the update with the new `etag`.',
    retry: 'no',
    example: { message: 'the process has changed since', path: '/header/if-match' },
  },
  no_phone_number: {
    title: 'No phone number',
    cause:
      "Neither the procedure's phone attribute nor the record of the process has a phone number; or what is there is not a full number with nothing beside it, such as a note, an extension or a second number.",
    remedy: 'Set the phone attribute of the process, or send to a phone number directly.',
    retry: 'no',
    example: { message: 'the process has no phone number' },
  },
  plugin_stopped: {
    title: 'The plugin is stopped',
    cause:
      'The provider refuses all messages of this plugin, or all from this phone number: then `whatsappPhoneNumberId` names it, and the other numbers can send. The error message has the reason.',
    remedy: 'Correct the account at the provider, then call `PUT /v1/ext/plugin/whatsapp/<pluginId>`.',
    retry: 'no',
    example: {
      message: 'the plugin is stopped: the access token has expired',
      path: '/path/pluginId',
      detail: { plugin: '01935c1e-5a00-700a-8a9b-7c8d9eafb0c1', stoppedAt: 1795276206000 },
    },
    detail: {
      plugin: z.string().describe('The id of the plugin.'),
      stoppedAt: z.int().describe('Since when, in epoch milliseconds.'),
      whatsappPhoneNumberId: z.string().describe('The phone number, if only that is stopped.'),
    },
  },
  opted_out: {
    title: 'The customer asked not to be written to',
    cause:
      'The provider refused an earlier message to this phone number with code 131050: its owner does not want messages. The team remembers that, and the message was not attempted. `messageId` is the earlier message.',
    remedy:
      'Take the number off your lists. If the customer has agreed to messages again, `DELETE /v1/ext/opt-out/<phoneNumber>` lets you send.',
    retry: 'no',
    example: {
      message: '919448300007 asked not to be written to',
      hint: 'if the customer has agreed again: DELETE /v1/ext/opt-out/919448300007',
      detail: {
        phoneNumber: '919448300007',
        since: 1795276206000,
        messageId: '01935c1e-5a00-700c-8a9b-7c8d9eafb0c1',
      },
    },
    detail: {
      phoneNumber: z.string().describe('The phone number.'),
      since: z.int().describe('Since when, in epoch milliseconds.'),
      messageId: z.string().describe('The message that the provider refused.'),
    },
  },
  provider_refused: {
    title: 'The messaging provider refused the message',
    cause: 'The provider refused the message. The error has its code, its description and advice.',
    remedy:
      'Follow the advice. The message is FAILED and is not sent again automatically. If `class` is `retry`, a new message may succeed after `retry-after` seconds.',
    retry: 'no',
    example: {
      message: 'the provider refused the message: (131026) The message is undeliverable',
      hint: 'the number may not be on WhatsApp; reach the customer another way',
      detail: {
        messageId: '01935c1e-5a00-700c-8a9b-7c8d9eafb0c1',
        deliveryStatus: 'FAILED',
        providerCode: 131026,
        title: 'The message is undeliverable',
        details: 'Message undeliverable.',
        advice: 'the number may not be on WhatsApp; reach the customer another way',
        class: 'stop-entry',
      },
    },
    headers: ['Retry-After', 'Idempotency-Replayed'],
    detail: PROVIDER_DETAIL,
  },
  provider_timeout: {
    title: 'The messaging provider did not respond in time',
    cause:
      'The message was handed to the provider, which did not respond. It may have been sent: its status is UNKNOWN.',
    remedy:
      "Do not send a new message: the provider's report settles this one, usually within minutes. Fetch the message to see its status.",
    retry: 'with an idempotency key',
    example: {
      message:
        'the provider did not respond in time: whether message 01935c1e-5a00-700c-8a9b-7c8d9eafb0c1 was sent is not known yet',
      hint: 'it is not sent again automatically; GET /v1/ext/message/01935c1e-5a00-700c-8a9b-7c8d9eafb0c1 shows its status when it arrives',
      detail: { messageId: '01935c1e-5a00-700c-8a9b-7c8d9eafb0c1', deliveryStatus: 'UNKNOWN' },
    },
    headers: ['Idempotency-Replayed'],
    detail: PROVIDER_DETAIL,
  },
  provider_unavailable: {
    title: 'The messaging provider is unavailable',
    cause: 'The provider cannot be reached, or its response could not be read.',
    remedy:
      'Fetch the message. If its status is FAILED, it was not sent: try again later. If it is UNKNOWN, it may have been sent.',
    retry: 'with an idempotency key',
    example: {
      message:
        'the provider or the way to it failed: whether message 01935c1e-5a00-700c-8a9b-7c8d9eafb0c1 was sent is not known yet',
      hint: 'it is not sent again automatically; GET /v1/ext/message/01935c1e-5a00-700c-8a9b-7c8d9eafb0c1 shows its status when it arrives',
      detail: { messageId: '01935c1e-5a00-700c-8a9b-7c8d9eafb0c1', deliveryStatus: 'UNKNOWN' },
    },
    headers: ['Idempotency-Replayed'],
    detail: PROVIDER_DETAIL,
  },
  storage_unavailable: {
    title: 'The database is unavailable',
    cause: 'The database is overloaded or did not respond in time. Reads were already retried.',
    remedy:
      'Wait for the seconds in `retry-after`, then retry. With an idempotency key, a change can be retried safely.',
    retry: 'with an idempotency key',
    example: { message: 'the database is overloaded', hint: 'nothing was changed; try again' },
    headers: ['Retry-After'],
    detail: { messageId: z.string().describe('The message; it can be fetched and sent again.') },
  },
  storage_full: {
    title: 'The database is full',
    cause:
      'The database has no room for what the request would add; or 85 % of it are used, and the request is a bulk request. Nothing was changed. Reads and deletions go on.',
    remedy: 'Report it to the operator of the service. The same request succeeds once there is room.',
    retry: 'no',
    example: { message: 'the database is full', hint: 'nothing was changed; the operator has to free space' },
  },
  storage_damaged: {
    title: 'What was asked for is damaged',
    cause:
      'It is in an object of R2 that is damaged: an older part of the [history](/docs/history), or the entries of an ended job. It does not come back; everything else is told as before. An entry that undoes a change of that time ends with `history_expired`.',
    remedy:
      'Ask for a later time or version, or for another job. Whoever runs the installation finds the object in the log.',
    retry: 'no',
    example: { message: 'the history of that time is damaged, and cannot be read' },
  },
  maintenance: {
    title: 'The service is paused',
    cause:
      'The operator has paused changes, for example to restore a backup. Nothing was changed. Reads go on, unless a backup is being restored.',
    remedy: 'Wait for the seconds in `retry-after`, then retry.',
    retry: 'yes',
    example: {
      message: 'the service is paused for maintenance',
      hint: 'nothing was changed; reads work, and the same request succeeds later',
      detail: { retryAfterSeconds: 60 },
    },
    headers: ['Retry-After'],
    detail: { retryAfterSeconds: z.int().describe('How long to wait before the next request.') },
  },
  not_offered: {
    title: 'Not offered here',
    cause: 'The installation is not set up for this way to sign in.',
    remedy: 'Sign in by a link or a passkey, or ask the operator for the settings.',
    retry: 'no',
    example: { message: 'signing in by an OpenID provider is not set up here' },
  },
  internal_error: {
    title: 'Internal error',
    cause: 'An error in the server.',
    remedy:
      'Report the `requestId`, which is in `_meta` and in the header `x-request-id`. It identifies the request in the logs.',
    retry: 'with an idempotency key',
    example: { message: 'internal error; quote the request id when you report it' },
  },
} as const satisfies Record<ErrorCode, ErrorExplanation>

export const explainError = (code: ErrorCode): ErrorExplanation => EXPLANATIONS[code]
