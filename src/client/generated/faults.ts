// Made from the OpenAPI document by `npm run client`; not to be edited.

/** What the faults of an error look like, by its code. */
export interface Faults {
  /** The body is empty, cut off, or not JSON. The message says where reading stopped. Send valid JSON in UTF-8. A shell often eats quotes: put the body into a file and send it with `-d @body.json`. */
  malformed_json: {
    code: 'malformed_json'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, where it is plain. */
    hint?: string | undefined
    docs: string
  }
  /** A member is unknown, missing, of the wrong type or out of its range; a value does not fit the procedure; a filter is not understood. Every fault of the request is listed, each with its place. Correct what `path` points to; it is a JSON Pointer into the request (`/body/data/score`, `/query/limit`). Where the correction is plain, `hint` carries it. */
  invalid_request: {
    code: 'invalid_request'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, where it is plain. */
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
  /** The `authorization` header is missing, or its token is mistyped, expired or revoked. Send `authorization: Bearer <token>` with a live token. Keys are made with `POST /v1/ext/api-key`. */
  unauthenticated: {
    code: 'unauthenticated'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, where it is plain. */
    hint?: string | undefined
    docs: string
  }
  /** The token is good, but its role lacks the permission that the route needs; the fault names it in `permission`. Use a key of a role that has the permission. `GET /v1/ext/config` lists the roles and what each may do. */
  permission_denied: {
    code: 'permission_denied'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, where it is plain. */
    hint?: string | undefined
    permission?: string | undefined
    docs: string
  }
  /** The address leads nowhere, or to something that was deleted or never existed. What belongs to another team is answered in exactly the same way. Check the id and the procedure in the address. A deleted process can be brought back with `POST …/restore`. */
  not_found: {
    code: 'not_found'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, where it is plain. */
    hint?: string | undefined
    docs: string
  }
  /** The address exists, but not with this method. Use one of the methods that the `allow` header lists. */
  method_not_allowed: {
    code: 'method_not_allowed'
    message: string
    path?: string | undefined
    hint?: string | undefined
    docs: string
  }
  /** What was asked is well formed, but the present state of things does not allow it: a name is taken, a thing has changed. Read the message, fetch what is there now, and decide again. */
  conflict: {
    code: 'conflict'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, where it is plain. */
    hint?: string | undefined
    deliveryStatus?: string | undefined
    resentAs?: string | undefined
    docs: string
  }
  /** Another process of the procedure has this primary key already; the fault names it in `processId`. Update that process, or use `PUT` on the collection, which creates or updates by primary key. */
  duplicate_primary_key: {
    code: 'duplicate_primary_key'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, where it is plain. */
    hint?: string | undefined
    processId?: string | undefined
    docs: string
  }
  /** The procedure says which states may follow the present one, and this is none of them; `allowed` lists those that are. Move to an allowed state first. */
  transition_not_allowed: {
    code: 'transition_not_allowed'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, where it is plain. */
    hint?: string | undefined
    allowed?: string[] | undefined
    docs: string
  }
  /** The new definition drops a state that processes are in, or changes the primary key of a procedure that has processes. Move the processes that are counted in `processes` out of the state first, or keep the state. */
  definition_in_use: {
    code: 'definition_in_use'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, where it is plain. */
    hint?: string | undefined
    state?: string | undefined
    processes?: number | undefined
    docs: string
  }
  /** Neither the procedure's phone attribute nor the record of the process holds a phone number. Set the phone attribute of the process, or send to a phone number directly. */
  no_phone_number: {
    code: 'no_phone_number'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, where it is plain. */
    hint?: string | undefined
    docs: string
  }
  /** The provider refuses everything that this plugin sends, for the reason that the message tells. Mend what the provider complains of, and say so with `PUT /v1/ext/plugin/whatsapp/<pluginId>`. */
  plugin_stopped: {
    code: 'plugin_stopped'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, where it is plain. */
    hint?: string | undefined
    plugin?: string | undefined
    stoppedAt?: number | undefined
    docs: string
  }
  /** The entity tag in `if-match` is not the present one: somebody changed the process since it was fetched. Fetch it again, look at what changed, and send the change with the new `etag`. */
  precondition_failed: {
    code: 'precondition_failed'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, where it is plain. */
    hint?: string | undefined
    docs: string
  }
  /** The body is larger than the route takes. The message states the limit. Split the request, or use a bulk route. */
  request_too_large: {
    code: 'request_too_large'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, where it is plain. */
    hint?: string | undefined
    docs: string
  }
  /** The `content-type` header is missing or is not the one that the route takes. Send `content-type: application/json`. With `-d`, curl sends a form unless it is told otherwise. */
  unsupported_media_type: {
    code: 'unsupported_media_type'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, where it is plain. */
    hint?: string | undefined
    docs: string
  }
  /** The key was used within the last 24 hours for a request with another address or another body. Make a new key for each new request, and use the old one only to repeat the same request. */
  idempotency_key_reused: {
    code: 'idempotency_key_reused'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, where it is plain. */
    hint?: string | undefined
    docs: string
  }
  /** A request with the same idempotency key has been accepted and is not finished. Wait as long as `retry-after` says, and repeat it: then it gets the answer of the first one. */
  request_in_progress: {
    code: 'request_in_progress'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, where it is plain. */
    hint?: string | undefined
    messageId?: string | undefined
    deliveryStatus?: string | undefined
    docs: string
  }
  /** The key has used up the calls that its role has in a minute. Other keys, and other teams, are not affected. Wait as long as `retry-after` says. To change many processes, use a bulk route: one call instead of thousands. */
  rate_limited: {
    code: 'rate_limited'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, where it is plain. */
    hint?: string | undefined
    docs: string
  }
  /** The provider answered, and said no. Its code, its words and our advice are in the fault. Follow the advice. The message is kept as FAILED and is not sent again by itself. Where `class` is `retry`, a new one may go through after `retry-after` seconds. */
  provider_refused: {
    code: 'provider_refused'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, where it is plain. */
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
  /** The message was handed over, and no answer came. It may have been sent: it is kept as UNKNOWN. Don't send it anew: the provider's own report settles it, usually within minutes. Fetch the message to see. */
  provider_timeout: {
    code: 'provider_timeout'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, where it is plain. */
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
  /** The provider is down, or answered with something that is not an answer. See in the message whether it may have been sent (UNKNOWN) or was not (FAILED), and try again later. */
  provider_unavailable: {
    code: 'provider_unavailable'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, where it is plain. */
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
  /** The database did not do its part in time. What only reads has been tried again already. Wait as long as `retry-after` says, and try again. With an idempotency key a change can be repeated without harm. */
  storage_unavailable: {
    code: 'storage_unavailable'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, where it is plain. */
    hint?: string | undefined
    messageId?: string | undefined
    docs: string
  }
  /** Something went wrong on our side that should not have. Tell us the `requestId`; it is in `_meta` and in the header `x-request-id`, and leads us to what happened. */
  internal_error: {
    code: 'internal_error'
    message: string
    /** A JSON Pointer into the request. */
    path?: string | undefined
    /** The correction, where it is plain. */
    hint?: string | undefined
    docs: string
  }
}

export type ErrorCode = keyof Faults
