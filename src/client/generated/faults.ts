// Generated from the OpenAPI document by `npm run client`. Do not edit.

interface CommonFault<Code extends string> {
  /** What went wrong. Programs compare it. */
  code: Code
  /** A sentence for people. */
  message: string
  /** A JSON Pointer into the request. */
  path?: string | undefined
  /** The correction, if there is only one. */
  hint?: string | undefined
  /** The address of the explanation. */
  docs: string
}

/** The errors by code. */
export interface Faults {
  /** The body is empty, cut off, or not JSON. The message says where reading stopped. Send valid JSON in UTF-8. A shell often eats quotes: put the body into a file and send it with `-d @body.json`. */
  malformed_json: CommonFault<'malformed_json'>
  /** A field is unknown, missing, of the wrong type or out of range, a value does not fit the procedure, or a filter is invalid. All errors of the request are listed. Correct what `path` points to; it is a JSON Pointer into the request (`/body/data/score`, `/query/limit`). `hint` has the correction if there is only one. */
  invalid_request: CommonFault<'invalid_request'> & {
    /** The languages in which the template exists. */
    languages?: string[] | undefined
    /** The status of the template at the provider. */
    status?: string | undefined
    /** Why the provider rejected or paused the template. */
    statusReason?: string | undefined
    /** The values that the template needs. */
    wants?:
      | {
          [member: string]: unknown
        }
      | undefined
  }
  /** The `authorization` header is missing, or its token is mistyped, expired or revoked. Send `authorization: Bearer <token>` with a valid token. `POST /v1/ext/api-key` creates a key. */
  unauthenticated: CommonFault<'unauthenticated'>
  /** The token is valid, but its role lacks the permission that the route needs. `permission` names it. Use a key of a role that has the permission. `GET /v1/ext/config` lists the roles and their permissions. */
  permission_denied: CommonFault<'permission_denied'> & {
    /** The permission that the role lacks. */
    permission?: string | undefined
  }
  /** The token, sign-in link or passkey is valid, but the operator of the installation has suspended the team. Every request of the team is refused, its jobs, sends, webhooks and due actions rest, and nothing is lost. Ask the operator of the installation; sending it again is of no use before. When the team is resumed, keys, sessions and unused sign-in links work as before, within half a minute. */
  team_suspended: CommonFault<'team_suspended'>
  /** The path does not exist, or the resource was deleted or never existed. Resources of other teams have the same response. Check the id and the procedure in the path. `POST …/restore` restores a deleted process. */
  not_found: CommonFault<'not_found'>
  /** The path exists, but not with this method. Use one of the methods that the `allow` header lists. */
  method_not_allowed: CommonFault<'method_not_allowed'>
  /** The header `accept` takes no format that the route has. The message lists those that there are. Send one of those, or no `accept`. A list also takes `?format=csv`, for programs that set no header. */
  not_acceptable: CommonFault<'not_acceptable'>
  /** The process was changed since the time or version that was asked for, and what it was before is not kept any more, or was changed before histories were kept. An entry that undoes another one ends with this where the change is as old: it has no fields of its own then. Ask for a later time or version: `version` is the oldest one that is known, and `since` when it was made. */
  history_expired: CommonFault<'history_expired'> & {
    /** The oldest version that is known. */
    version?: number | undefined
    /** When it was made, in epoch milliseconds. */
    since?: number | undefined
  }
  /** The request is valid, but the present state does not allow it: for example, a name is taken or a job has ended. Read the message, fetch the present state, and decide again. */
  conflict: CommonFault<'conflict'> & {
    /** The delivery status of the message. */
    deliveryStatus?: string | undefined
    /** The message that sent it again. */
    resentAs?: string | undefined
    /** The job that applied the dry run. */
    backgroundJob?: string | undefined
    /** The job that was to be undone has changed nothing. */
    hasChangedNothing?: true | undefined
  }
  /** An entry of a job was to take back what an earlier job did to a process, and the process is not as that job has left it; or it was to apply a dry run, which has seen another version of the process, none, or another number or text of a message. The message says who has changed the process, in `event`, `by` and `at` for programs, or that it is not there any more; where that is not known, or it is about a message, these are not there. Of a dry run, make another one, and look at what it would change now; of an undo, look at the history of the process, and decide by hand. The other entries of the job went on. */
  changed_since: CommonFault<'changed_since'>
  /** Another process of the procedure has this primary key. `processId` is its id. Update that process, or use `PUT` on the collection, which creates or updates by primary key. */
  duplicate_primary_key: CommonFault<'duplicate_primary_key'> & {
    /** The process that has the primary key. */
    processId?: string | undefined
  }
  /** The phone number or e-mail address in `data` identifies another record of the team. `recordId` is its id. Update that record, or remove the value there first (`null`). One number belongs to one record of a team. */
  duplicate_record: CommonFault<'duplicate_record'> & {
    /** The record that has the number or address. */
    recordId?: string | undefined
  }
  /** The request would erase or merge a customer by the id of one who was merged into another. `recordId` is the id of that one. If that one is meant, send their id. Requests that read or change a customer need no other id: the former leads there. */
  record_merged: CommonFault<'record_merged'> & {
    /** The record that it was merged into. */
    recordId?: string | undefined
  }
  /** The procedure restricts which states may follow the present one. `allowed` lists them. Move to an allowed state first. */
  transition_not_allowed: CommonFault<'transition_not_allowed'> & {
    /** The states that the process can move to. */
    allowed?: string[] | undefined
  }
  /** The new definition removes a state that is in use, or changes the primary key of a procedure that has processes. First move the processes to another state, or keep the state. `processes` is their number. */
  definition_in_use: CommonFault<'definition_in_use'> & {
    /** The state that is in use. */
    state?: string | undefined
    /** How many processes are in it. */
    processes?: number | undefined
  }
  /** Neither the procedure's phone attribute nor the record of the process has a phone number; or what is there is not a full number with nothing beside it, such as a note, an extension or a second number. Set the phone attribute of the process, or send to a phone number directly. */
  no_phone_number: CommonFault<'no_phone_number'>
  /** The provider refuses all messages of this plugin, or all from this phone number: then `whatsappPhoneNumberId` names it, and the other numbers can send. The error message has the reason. Correct the account at the provider, then call `PUT /v1/ext/plugin/whatsapp/<pluginId>`. */
  plugin_stopped: CommonFault<'plugin_stopped'> & {
    /** The id of the plugin. */
    plugin?: string | undefined
    /** Since when, in epoch milliseconds. */
    stoppedAt?: number | undefined
    /** The phone number, if only that is stopped. */
    whatsappPhoneNumberId?: string | undefined
  }
  /** The provider refused an earlier message to this phone number with code 131050: its owner does not want messages. The team remembers that, and the message was not attempted. `messageId` is the earlier message. Take the number off your lists. If the customer has agreed to messages again, `DELETE /v1/ext/opt-out/<phoneNumber>` lets you send. */
  opted_out: CommonFault<'opted_out'> & {
    /** The phone number. */
    phoneNumber?: string | undefined
    /** Since when, in epoch milliseconds. */
    since?: number | undefined
    /** The message that the provider refused. */
    messageId?: string | undefined
  }
  /** The team has not switched its event feed on, so not every event is kept. Switch it on with `PUT /v1/ext/event-feed` and the body `{"enabled": true}`. The first webhook does so, too. */
  event_feed_off: CommonFault<'event_feed_off'>
  /** Events after the number in `after`, or of a replay, are older than the feed keeps them (30 days). `oldest` is the number of the oldest one that is kept. Read what you need anew, with lists for example. Then go on with `after` as `hint` says: from there on the feed has everything. A replay begins with `oldest`. */
  sequence_expired: CommonFault<'sequence_expired'> & {
    /** The number of the oldest event that is kept; one more than `latest` if none is. */
    oldest?: number | undefined
    /** The number of the team's last event. */
    latest?: number | undefined
  }
  /** The entity tag in `if-match` is not the present one: the process or record has changed since it was fetched. Fetch it again, and send the update with the new `etag`. */
  precondition_failed: CommonFault<'precondition_failed'>
  /** The body is larger than the route allows. The message states the limit. Split the request, or use a bulk route. */
  request_too_large: CommonFault<'request_too_large'>
  /** The header `content-type` is missing, or the route does not support it. Bulk requests also take CSV and lines of JSON, in UTF-8 and not compressed. Send `content-type: application/json`. With `-d`, curl sends a form by default. */
  unsupported_media_type: CommonFault<'unsupported_media_type'>
  /** The key was used within the last 24 hours for a request with another method, path, query string or body. Use a new key for each new request, and the old one only to repeat the same request. */
  idempotency_key_reused: CommonFault<'idempotency_key_reused'>
  /** A request with the same idempotency key was accepted and has not finished. Wait for the seconds in `retry-after`, then repeat the request. It returns the response of the first one. */
  request_in_progress: CommonFault<'request_in_progress'> & {
    /** The message; it can be fetched and sent again. */
    messageId?: string | undefined
    /** Its delivery status. */
    deliveryStatus?: string | undefined
  }
  /** The key has exceeded the requests per minute of its role; other keys and other teams are not affected. Or too many requests with an unknown token, a forged webhook or the path of no file came from one address. Or the calls of the team have used more time of the database than its share, or it has written as many rows today as whoever runs the installation lets it; the message says so. Wait for the seconds in `retry-after`. To change many processes, use a bulk route: one request instead of thousands. To use less time of the database, filter by indexed attributes and page with `cursor`. */
  rate_limited: CommonFault<'rate_limited'> & {
    /** How long to wait before the next request. */
    retryAfterSeconds?: number | undefined
  }
  /** The provider refused the message. The error has its code, its description and advice. Follow the advice. The message is FAILED and is not sent again automatically. If `class` is `retry`, a new message may succeed after `retry-after` seconds. */
  provider_refused: CommonFault<'provider_refused'> & {
    /** The message; it can be fetched and sent again. */
    messageId?: string | undefined
    /** Its delivery status. */
    deliveryStatus?: string | undefined
    /** The provider's code of the error. */
    providerCode?: number | undefined
    /** The provider's title of the error. */
    title?: string | undefined
    /** The provider's description. */
    details?: string | undefined
    /** What to do. */
    advice?: string | undefined
    /** What it means for sending: `retry`: a new message may succeed; `stop-entry`: this one cannot; `stop-sender`: the phone number is stopped; `stop-plugin`: the plugin is. */
    class?: string | undefined
    /** How long to wait before a new message. */
    retryAfterSeconds?: number | undefined
  }
  /** The message was handed to the provider, which did not respond. It may have been sent: its status is UNKNOWN. Do not send a new message: the provider's report settles this one, usually within minutes. Fetch the message to see its status. */
  provider_timeout: CommonFault<'provider_timeout'> & {
    /** The message; it can be fetched and sent again. */
    messageId?: string | undefined
    /** Its delivery status. */
    deliveryStatus?: string | undefined
    /** The provider's code of the error. */
    providerCode?: number | undefined
    /** The provider's title of the error. */
    title?: string | undefined
    /** The provider's description. */
    details?: string | undefined
    /** What to do. */
    advice?: string | undefined
    /** What it means for sending: `retry`: a new message may succeed; `stop-entry`: this one cannot; `stop-sender`: the phone number is stopped; `stop-plugin`: the plugin is. */
    class?: string | undefined
    /** How long to wait before a new message. */
    retryAfterSeconds?: number | undefined
  }
  /** The provider cannot be reached, or its response could not be read. Fetch the message. If its status is FAILED, it was not sent: try again later. If it is UNKNOWN, it may have been sent. */
  provider_unavailable: CommonFault<'provider_unavailable'> & {
    /** The message; it can be fetched and sent again. */
    messageId?: string | undefined
    /** Its delivery status. */
    deliveryStatus?: string | undefined
    /** The provider's code of the error. */
    providerCode?: number | undefined
    /** The provider's title of the error. */
    title?: string | undefined
    /** The provider's description. */
    details?: string | undefined
    /** What to do. */
    advice?: string | undefined
    /** What it means for sending: `retry`: a new message may succeed; `stop-entry`: this one cannot; `stop-sender`: the phone number is stopped; `stop-plugin`: the plugin is. */
    class?: string | undefined
    /** How long to wait before a new message. */
    retryAfterSeconds?: number | undefined
  }
  /** The database is overloaded or did not respond in time. Reads were already retried. Wait for the seconds in `retry-after`, then retry. With an idempotency key, a change can be retried safely. */
  storage_unavailable: CommonFault<'storage_unavailable'> & {
    /** The message; it can be fetched and sent again. */
    messageId?: string | undefined
  }
  /** The database has no room for what the request would add; or 85 % of it are used, and the request is a bulk request. Nothing was changed. Reads and deletions go on. Report it to the operator of the service. The same request succeeds once there is room. */
  storage_full: CommonFault<'storage_full'>
  /** It is in an object of R2 that is damaged: an older part of the [history](/docs/history), or the entries of an ended job. It does not come back; everything else is told as before. An entry that undoes a change of that time ends with `history_expired`. Ask for a later time or version, or for another job. Whoever runs the installation finds the object in the log. */
  storage_damaged: CommonFault<'storage_damaged'>
  /** The operator has paused changes, for example to restore a backup. Nothing was changed. Reads go on, unless a backup is being restored. Wait for the seconds in `retry-after`, then retry. */
  maintenance: CommonFault<'maintenance'> & {
    /** How long to wait before the next request. */
    retryAfterSeconds?: number | undefined
  }
  /** The installation is not set up for this way to sign in. Sign in by a link or a passkey, or ask the operator for the settings. */
  not_offered: CommonFault<'not_offered'>
  /** An error in the server. Report the `requestId`, which is in `_meta` and in the header `x-request-id`. It identifies the request in the logs. */
  internal_error: CommonFault<'internal_error'>
}

export type ErrorCode = keyof Faults
