// Generated from the OpenAPI document by `npm run client`. Do not edit.

/** The errors by code. */
export interface Faults {
  /** The body is empty, cut off, or not JSON. The message says where reading stopped. Send valid JSON in UTF-8. A shell often eats quotes: put the body into a file and send it with `-d @body.json`. */
  malformed_json: {
    code: 'malformed_json'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, if there is only one. */
    hint?: string | undefined
    docs: string
  }
  /** A field is unknown, missing, of the wrong type or out of range, a value does not fit the procedure, or a filter is invalid. All errors of the request are listed. Correct what `path` points to; it is a JSON Pointer into the request (`/body/data/score`, `/query/limit`). `hint` has the correction if there is only one. */
  invalid_request: {
    code: 'invalid_request'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, if there is only one. */
    hint?: string | undefined
    languages?: string[] | undefined
    status?: string | undefined
    statusReason?: string | undefined
    wants?:
      | {
          [member: string]: unknown
        }
      | undefined
    docs: string
  }
  /** The `authorization` header is missing, or its token is mistyped, expired or revoked. Send `authorization: Bearer <token>` with a valid token. `POST /v1/ext/api-key` creates a key. */
  unauthenticated: {
    code: 'unauthenticated'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, if there is only one. */
    hint?: string | undefined
    docs: string
  }
  /** The token is valid, but its role lacks the permission that the route needs. `permission` names it. Use a key of a role that has the permission. `GET /v1/ext/config` lists the roles and their permissions. */
  permission_denied: {
    code: 'permission_denied'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, if there is only one. */
    hint?: string | undefined
    permission?: string | undefined
    docs: string
  }
  /** The path does not exist, or the resource was deleted or never existed. Resources of other teams have the same response. Check the id and the procedure in the path. `POST …/restore` restores a deleted process. */
  not_found: {
    code: 'not_found'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, if there is only one. */
    hint?: string | undefined
    docs: string
  }
  /** The path exists, but not with this method. Use one of the methods that the `allow` header lists. */
  method_not_allowed: {
    code: 'method_not_allowed'
    message: string
    path?: string | undefined
    hint?: string | undefined
    docs: string
  }
  /** The header `accept` takes no format that the route has. The message lists those that there are. Send one of those, or no `accept`. A list also takes `?format=csv`, for programs that set no header. */
  not_acceptable: {
    code: 'not_acceptable'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, if there is only one. */
    hint?: string | undefined
    docs: string
  }
  /** The request is valid, but the present state does not allow it: for example, a name is taken or a job has ended. Read the message, fetch the present state, and decide again. */
  conflict: {
    code: 'conflict'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, if there is only one. */
    hint?: string | undefined
    deliveryStatus?: string | undefined
    resentAs?: string | undefined
    docs: string
  }
  /** Another process of the procedure has this primary key. `processId` is its id. Update that process, or use `PUT` on the collection, which creates or updates by primary key. */
  duplicate_primary_key: {
    code: 'duplicate_primary_key'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, if there is only one. */
    hint?: string | undefined
    processId?: string | undefined
    docs: string
  }
  /** The phone number or e-mail address in `data` identifies another record of the team. `recordId` is its id. Update that record, or remove the value there first (`null`). One number belongs to one record of a team. */
  duplicate_record: {
    code: 'duplicate_record'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, if there is only one. */
    hint?: string | undefined
    recordId?: string | undefined
    docs: string
  }
  /** The procedure restricts which states may follow the present one. `allowed` lists them. Move to an allowed state first. */
  transition_not_allowed: {
    code: 'transition_not_allowed'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, if there is only one. */
    hint?: string | undefined
    allowed?: string[] | undefined
    docs: string
  }
  /** The new definition removes a state that is in use, or changes the primary key of a procedure that has processes. First move the processes to another state, or keep the state. `processes` is their number. */
  definition_in_use: {
    code: 'definition_in_use'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, if there is only one. */
    hint?: string | undefined
    state?: string | undefined
    processes?: number | undefined
    docs: string
  }
  /** Neither the procedure's phone attribute nor the record of the process has a phone number. Set the phone attribute of the process, or send to a phone number directly. */
  no_phone_number: {
    code: 'no_phone_number'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, if there is only one. */
    hint?: string | undefined
    docs: string
  }
  /** The provider refuses all messages of this plugin, or all from this phone number: then `whatsappPhoneNumberId` names it, and the other numbers can send. The error message has the reason. Correct the account at the provider, then call `PUT /v1/ext/plugin/whatsapp/<pluginId>`. */
  plugin_stopped: {
    code: 'plugin_stopped'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, if there is only one. */
    hint?: string | undefined
    plugin?: string | undefined
    stoppedAt?: number | undefined
    whatsappPhoneNumberId?: string | undefined
    docs: string
  }
  /** The provider refused an earlier message to this phone number with code 131050: its owner does not want messages. The team remembers that, and the message was not attempted. `messageId` is the earlier message. Take the number off your lists. If the customer has agreed to messages again, `DELETE /v1/ext/opt-out/<phoneNumber>` lets you send. */
  opted_out: {
    code: 'opted_out'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, if there is only one. */
    hint?: string | undefined
    phoneNumber?: string | undefined
    since?: number | undefined
    messageId?: string | undefined
    docs: string
  }
  /** The entity tag in `if-match` is not the present one: the process or record has changed since it was fetched. Fetch it again, and send the update with the new `etag`. */
  precondition_failed: {
    code: 'precondition_failed'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, if there is only one. */
    hint?: string | undefined
    docs: string
  }
  /** The body is larger than the route allows. The message states the limit. Split the request, or use a bulk route. */
  request_too_large: {
    code: 'request_too_large'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, if there is only one. */
    hint?: string | undefined
    docs: string
  }
  /** The header `content-type` is missing, or the route does not support it. Send `content-type: application/json`. With `-d`, curl sends a form by default. */
  unsupported_media_type: {
    code: 'unsupported_media_type'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, if there is only one. */
    hint?: string | undefined
    docs: string
  }
  /** The key was used within the last 24 hours for a request with another method, path, query string or body. Use a new key for each new request, and the old one only to repeat the same request. */
  idempotency_key_reused: {
    code: 'idempotency_key_reused'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, if there is only one. */
    hint?: string | undefined
    docs: string
  }
  /** A request with the same idempotency key was accepted and has not finished. Wait for the seconds in `retry-after`, then repeat the request. It returns the response of the first one. */
  request_in_progress: {
    code: 'request_in_progress'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, if there is only one. */
    hint?: string | undefined
    messageId?: string | undefined
    deliveryStatus?: string | undefined
    docs: string
  }
  /** The key has exceeded the requests per minute of its role; other keys and other teams are not affected. Or too many requests with an unknown token, a forged webhook or the path of no file came from one address. Or the calls of the team have used more time of the database than its share; the message says so. Wait for the seconds in `retry-after`. To change many processes, use a bulk route: one request instead of thousands. To use less time of the database, filter by indexed attributes and page with `cursor`. */
  rate_limited: {
    code: 'rate_limited'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, if there is only one. */
    hint?: string | undefined
    retryAfterSeconds?: number | undefined
    docs: string
  }
  /** The provider refused the message. The error has its code, its description and advice. Follow the advice. The message is FAILED and is not sent again automatically. If `class` is `retry`, a new message may succeed after `retry-after` seconds. */
  provider_refused: {
    code: 'provider_refused'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, if there is only one. */
    hint?: string | undefined
    messageId?: string | undefined
    deliveryStatus?: string | undefined
    providerCode?: number | undefined
    title?: string | undefined
    details?: string | undefined
    advice?: string | undefined
    class?: string | undefined
    retryAfterSeconds?: number | undefined
    docs: string
  }
  /** The message was handed to the provider, which did not respond. It may have been sent: its status is UNKNOWN. Do not send a new message: the provider's report settles this one, usually within minutes. Fetch the message to see its status. */
  provider_timeout: {
    code: 'provider_timeout'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, if there is only one. */
    hint?: string | undefined
    messageId?: string | undefined
    deliveryStatus?: string | undefined
    providerCode?: number | undefined
    title?: string | undefined
    details?: string | undefined
    advice?: string | undefined
    class?: string | undefined
    retryAfterSeconds?: number | undefined
    docs: string
  }
  /** The provider cannot be reached, or its response could not be read. Fetch the message. If its status is FAILED, it was not sent: try again later. If it is UNKNOWN, it may have been sent. */
  provider_unavailable: {
    code: 'provider_unavailable'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, if there is only one. */
    hint?: string | undefined
    messageId?: string | undefined
    deliveryStatus?: string | undefined
    providerCode?: number | undefined
    title?: string | undefined
    details?: string | undefined
    advice?: string | undefined
    class?: string | undefined
    retryAfterSeconds?: number | undefined
    docs: string
  }
  /** The database is overloaded or did not respond in time. Reads were already retried. Wait for the seconds in `retry-after`, then retry. With an idempotency key, a change can be retried safely. */
  storage_unavailable: {
    code: 'storage_unavailable'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, if there is only one. */
    hint?: string | undefined
    messageId?: string | undefined
    docs: string
  }
  /** The database has no room for what the request would add; or 85 % of it are used, and the request is a bulk request. Nothing was changed. Reads, updates and deletions go on. Report it to the operator of the service. The same request succeeds once there is room. */
  storage_full: {
    code: 'storage_full'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, if there is only one. */
    hint?: string | undefined
    docs: string
  }
  /** The operator has paused changes, for example to restore a backup. Nothing was changed. Reads go on. Wait for the seconds in `retry-after`, then retry. */
  maintenance: {
    code: 'maintenance'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, if there is only one. */
    hint?: string | undefined
    retryAfterSeconds?: number | undefined
    docs: string
  }
  /** The hosted product has this address, for voice calls for example, and this service does not. Leave the request out. [Moving](/docs/moving) lists what is not offered. */
  not_offered: {
    code: 'not_offered'
    message: string
    path?: string | undefined
    hint?: string | undefined
    docs: string
  }
  /** An error in the server. Report the `requestId`, which is in `_meta` and in the header `x-request-id`. It identifies the request in the logs. */
  internal_error: {
    code: 'internal_error'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, if there is only one. */
    hint?: string | undefined
    docs: string
  }
}

export type ErrorCode = keyof Faults
