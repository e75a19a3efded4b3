// Generated from the OpenAPI document by `npm run client`. Do not edit.

export interface Config {
  /** The team of the caller. */
  team: {
    /** The id of the team. */
    id: string
    /** The short id of the team. */
    shortId: string
    /** The name of the team, for people. */
    name: string
  }
  /** All procedures of the team. */
  procedures: Procedure[]
  /** The attributes of all procedures. */
  attributes: {
    /** The name of the attribute in the API. */
    shortId: string
    /** The name of the attribute for people. */
    name: string
    /** The type of its values. */
    type:
      | 'string'
      | 'text'
      | 'name'
      | 'email'
      | 'phone'
      | 'url'
      | 'datetimeISO8601'
      | 'stringEnum'
      | 'user'
      | 'integer'
      | 'float'
      | 'datetime'
      | 'integerEnum'
      | 'floatEnum'
      | 'boolean'
      | 'date'
      | 'time'
      | 'multiString'
      | 'multiStringEnum'
      | 'multiIntegerEnum'
      | 'multiFloatEnum'
      | 'geolocation'
      | 'json'
      | 'photo'
      | 'multiPhoto'
    /** Whether a process needs it when it is created. */
    required: boolean
    /** Whether filters and sorting by it use an index. */
    indexed: boolean
    /** The allowed values of an enum type. */
    values?: (string | number)[] | undefined
    /** Whether `search` finds its words. */
    searchable?: boolean | undefined
    /** Whether its values are about the customer, so that an erasure of the customer everywhere empties it. */
    personal?: boolean | undefined
    /** False while the words of existing processes are being indexed; `search` is refused until then. */
    searchReady?: boolean | undefined
    /** False while the index is being built, and where a stored value has another type or is too long, or a stored list holds too many values: then there is no index. Filters work in any case. */
    indexReady?: boolean | undefined
    /** The id of the procedure. */
    procedure: string
    /** The short id of the procedure. */
    procedureShortId: string
  }[]
  /** The states of all procedures. */
  states: {
    /** The name of the state in the API. */
    shortId: string
    /** The name of the state for people. */
    name: string
    /** The states that may follow. Absent if any may. */
    next?: string[] | undefined
    /** The status of a process that comes into this state. Absent if the state changes no status. */
    status?: 'COMPLETED' | 'CANCELLED' | undefined
    /** False: no process can be created in it. Absent otherwise. */
    startsHere?: false | undefined
    /** The id of the procedure. */
    procedure: string
    /** The short id of the procedure. */
    procedureShortId: string
  }[]
  /** The roles that users and API keys can have. */
  roles: {
    /** The id of the role. */
    id: string
    /** The short id of the role. */
    shortId: 'admin' | 'manager' | 'agent' | 'viewer'
    /** The name of the role, for people. */
    name: string
    /** What the role allows. */
    permissions: (
      | 'process:read'
      | 'process:write'
      | 'process:delete'
      | 'process:override'
      | 'process:purge'
      | 'job:read'
      | 'job:write'
      | 'message:read'
      | 'message:send'
      | 'user:read'
      | 'user:write'
      | 'config:read'
      | 'config:write'
      | 'key:read'
      | 'key:write'
      | 'webhook:read'
      | 'webhook:write'
    )[]
  }[]
  /** The users of the team. */
  users: {
    /** The id of the user. */
    id: string
    /** A name without spaces, unique in the team. */
    username: string
    /** The name that people see. */
    displayName: string
    /** The short id of the role. */
    role: string
    /** Whether the user can act. */
    isActive: boolean
  }[]
  /** The connected WhatsApp business accounts. */
  plugins: Plugin[]
}

export interface Procedure {
  /** The id of the procedure. */
  id: string
  /** The name of the procedure in the API. */
  shortId: string
  /** The name of the procedure for people. */
  name: string
  /** The states that a process can be in. */
  states: {
    /** The name of the state in the API. */
    shortId: string
    /** The name of the state for people. */
    name: string
    /** The states that may follow. Absent if any may. */
    next?: string[] | undefined
    /** The status of a process that comes into this state. Absent if the state changes no status. */
    status?: 'COMPLETED' | 'CANCELLED' | undefined
    /** False: no process can be created in it. Absent otherwise. */
    startsHere?: false | undefined
  }[]
  /** The state of a new process. */
  startState: string
  /** The state that `status: COMPLETED` moves to. */
  completedState: string
  /** The declared attributes. */
  attributes: {
    /** The name of the attribute in the API. */
    shortId: string
    /** The name of the attribute for people. */
    name: string
    /** The type of its values. */
    type:
      | 'string'
      | 'text'
      | 'name'
      | 'email'
      | 'phone'
      | 'url'
      | 'datetimeISO8601'
      | 'stringEnum'
      | 'user'
      | 'integer'
      | 'float'
      | 'datetime'
      | 'integerEnum'
      | 'floatEnum'
      | 'boolean'
      | 'date'
      | 'time'
      | 'multiString'
      | 'multiStringEnum'
      | 'multiIntegerEnum'
      | 'multiFloatEnum'
      | 'geolocation'
      | 'json'
      | 'photo'
      | 'multiPhoto'
    /** Whether a process needs it when it is created. */
    required: boolean
    /** Whether filters and sorting by it use an index. */
    indexed: boolean
    /** The allowed values of an enum type. */
    values?: (string | number)[] | undefined
    /** Whether `search` finds its words. */
    searchable?: boolean | undefined
    /** Whether its values are about the customer, so that an erasure of the customer everywhere empties it. */
    personal?: boolean | undefined
    /** False while the words of existing processes are being indexed; `search` is refused until then. */
    searchReady?: boolean | undefined
    /** False while the index is being built, and where a stored value has another type or is too long, or a stored list holds too many values: then there is no index. Filters work in any case. */
    indexReady?: boolean | undefined
  }[]
  /** The attribute that identifies a process; null if there is none. */
  primaryKey: string | null
  /** The attribute whose phone number receives the messages; null for that of the record. */
  phoneAttribute: string | null
  /** Whether undeclared attributes are refused. */
  strict: boolean
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds. */
  updatedAt: number
}

export interface Plugin {
  /** The id of the plugin. */
  id: string
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds. */
  updatedAt: number
  /** The id of the team. */
  team: string
  /** The kind of account. */
  type: 'WHATSAPP'
  /** The name of the plugin, for people. */
  name: string
  /** The id of the WhatsApp business account. */
  businessAccountId: string
  /** The phone numbers that may send. */
  phoneNumbers: {
    /** The provider's id of the phone number. */
    id: string
    /** The phone number as people write it. */
    displayNumber: string
    /** How many messages a second the provider allows this number. Jobs use 97 % of it. Set it if the provider has raised the limit of the number. */
    messagesPerSecond?: number | undefined
  }[]
  /** The version of the provider's API that is called. */
  graphVersion: string
  /** The language of a template that exists in several, where a request names none. */
  defaultLanguage: string | null
  /** STOPPED while the provider refuses the whole account. */
  status: 'ACTIVE' | 'STOPPED'
  /** Why the plugin is stopped; null while it is active. */
  statusMessage: string | null
  /** When the plugin was stopped, in epoch milliseconds; null while it is active. */
  stoppedAt: number | null
  /** Those of the phone numbers that the provider refuses to send from; the others can send. */
  stoppedPhoneNumbers: {
    /** The provider's id of the phone number. */
    id: string
    /** Why the provider refuses it. */
    statusMessage: string
    /** Epoch milliseconds. */
    stoppedAt: number
  }[]
  /** When the templates were last fetched from the provider, in epoch milliseconds; null if never. */
  templatesSyncedAt: number | null
  /** False: the secrets were encrypted with another `SECRETS_KEY` than the installation has, so nothing can be sent. Send all three anew. */
  areSecretsReadable: boolean
  /** The path of `webhookUrl`. */
  webhookPath: string
  /** The address to register with the provider. */
  webhookUrl: string
}

export interface ProcedureDryRun {
  /** Whether the procedure would be created. */
  isNew: boolean
  /** Whether the request would be accepted. */
  isAllowed: boolean
  /** What would change. Empty: nothing. */
  changes: {
    /** What changes. */
    subject: 'procedure' | 'state' | 'attribute'
    /** The short id of the procedure, state or attribute. */
    shortId: string
    /** What happens to it. */
    change: 'added' | 'removed' | 'changed'
    /** The fields that differ. `states` and `attributes` of the procedure are short ids in their order, and there if only the order differs. */
    fields: {
      /** The name of the field in a definition. */
      field: string
      /** Its value now; null if there is none. */
      from: unknown
      /** Its value then; null if there is none. */
      to: unknown
    }[]
  }[]
  /** Why the request would be refused. Empty: it would not. */
  refusals: {
    /** The error code that the request would get. */
    code:
      | 'malformed_json'
      | 'invalid_request'
      | 'unauthenticated'
      | 'permission_denied'
      | 'team_suspended'
      | 'not_found'
      | 'method_not_allowed'
      | 'not_acceptable'
      | 'history_expired'
      | 'conflict'
      | 'changed_since'
      | 'duplicate_primary_key'
      | 'duplicate_record'
      | 'record_merged'
      | 'transition_not_allowed'
      | 'definition_in_use'
      | 'no_phone_number'
      | 'plugin_stopped'
      | 'opted_out'
      | 'event_feed_off'
      | 'sequence_expired'
      | 'precondition_failed'
      | 'request_too_large'
      | 'unsupported_media_type'
      | 'idempotency_key_reused'
      | 'request_in_progress'
      | 'rate_limited'
      | 'provider_refused'
      | 'provider_timeout'
      | 'provider_unavailable'
      | 'storage_unavailable'
      | 'storage_full'
      | 'storage_damaged'
      | 'maintenance'
      | 'not_offered'
      | 'internal_error'
    /** Why it would be refused. */
    message: string
    /** A JSON Pointer into the request; null if it is about all of it. */
    path: string | null
    /** How many processes are in the way; null where that is not the reason. */
    processes: number | null
  }[]
  /** The processes that are there. */
  processes: {
    /** The number of processes of the procedure, at most 100,000. */
    count: number
    /** Whether there are more than `count`. */
    isMore: boolean
    /** How many of them, the newest ones, `values` was found in: at most 500. */
    sampled: number
  }
  /** The indexes that would be built for all processes, or removed. */
  indexes: {
    /** The short id of the attribute. */
    attribute: string
    /** `build`: the values of all processes are indexed. Filters work meanwhile, and are slower. */
    change: 'build' | 'remove'
  }[]
  /** What would happen to the index of words; null: nothing. */
  search: {
    /** `build`: the words of all processes are indexed anew; `search` is refused until that is done. */
    change: 'build' | 'remove'
    /** The searchable attributes then. */
    attributes: string[]
  } | null
  /** What the change means for stored values, in a sample. */
  values: {
    /** The short id of an attribute that is added, removed, or has another type or index. */
    attribute: string
    /** False: the attribute is not declared any more. Its values stay stored; where the procedure is strict, they can only be read. */
    isDeclared: boolean
    /** How many of the sampled processes have a value. */
    stored: number
    /** How many of these values do not fit the new declaration. They stay as they are, and no filter of the new type finds them. Written again, they are converted, or refused. */
    unfit: number
    /** How many of them keep the attribute from having an index: `indexReady` stays false because of one. */
    preventIndex: number
    /** Some processes with values that do not fit, newest first: at most 3. */
    examples: {
      /** The id of the process. */
      process: string
      /** What does not fit. */
      message: string
    }[]
  }[]
}

/** The request was answered, and may have meant something else. */
export interface Warning {
  /** What is warned of. Programs compare it. */
  code: 'undeclared_attribute' | 'record_merged' | 'table_recognised' | 'column_left_out'
  /** A sentence for people. */
  message: string
  /** A JSON Pointer into the request. */
  path: string
  /** The correction, if it is plain. */
  hint?: string | undefined
}

export interface Process {
  /** The id of the process. */
  id: string
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds. */
  updatedAt: number
  /** The id of the team. */
  team: string
  /** The id of the procedure. */
  procedure: string
  /** The short id of the procedure. */
  procedureShortId: string
  /** The customer that the process is for. */
  record: {
    /** The id of the customer. */
    id: string
    /** Attributes of the customer. */
    data: {
      [member: string]: unknown
    }
    /** Epoch milliseconds. */
    createdAt: number
    /** Epoch milliseconds. */
    updatedAt: number
  } | null
  /** Whether the process is open, completed or cancelled. */
  status: 'CANCELLED' | 'COMPLETED' | 'OPEN'
  /** The short id of its state. */
  state: string
  /** When something is to be done next, in epoch milliseconds; null if nothing is planned. */
  nextActionAt: number | null
  /** The id of the assignee; null if there is none. */
  assignedTo: string | null
  /** The id of the user who created it. */
  createdBy: string | null
  /** Epoch milliseconds; 0 until the process is completed. */
  completedAt: number
  /** Values by attribute short id. */
  data: {
    [member: string]: unknown
  }
  /** Whether the process was deleted. A deleted process can be restored. */
  isDeleted: boolean
}

/** The figures of the processes that have the same values. */
export interface AggregatedGroup {
  /** The value of each field of `groupBy`, null where it is not set. Of a date, the first day. */
  group: {
    [member: string]: string | number | boolean | null
  }
  /** The number of processes. */
  count?: number | undefined
  /** Sums, by field; 0 where no process has a number. */
  sum?:
    | {
        [member: string]: number | null
      }
    | undefined
  /** Averages, by field; null where no process has a number. */
  avg?:
    | {
        [member: string]: number | null
      }
    | undefined
  /** The least values, by field; null where no process has one. */
  min?:
    | {
        [member: string]: number | string | null
      }
    | undefined
  /** The greatest values, by field; null where no process has one. */
  max?:
    | {
        [member: string]: number | string | null
      }
    | undefined
}

export interface ProcessCount {
  /** The number of processes that match. */
  count: number
}

/** The number of entries in each status. They always add up to the number of entries. */
export interface EntryCounts {
  /** Entries that are malformed, and not processed. */
  INVALID: number
  /** Entries that are not started. */
  NOT_STARTED: number
  /** Entries that are begun, such as a message that waits for its turn. */
  IN_PROGRESS: number
  /** Entries that are successful. */
  SUCCESS: number
  /** Entries that are failed. */
  ERROR: number
  /** Entries that are cancelled before they started. */
  CANCELLED: number
}

export interface BackgroundJob {
  /** The id of the job. */
  id: string
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds. */
  updatedAt: number
  /** Epoch milliseconds. */
  startedAt: number
  /** Epoch milliseconds; 0 until the job has ended. */
  completedAt: number
  /** SUCCESS if every entry succeeded, ERROR if one is INVALID or ERROR. */
  completionStatus: 'NOT_STARTED' | 'IN_PROGRESS' | 'SUCCESS' | 'ERROR' | 'CANCELLED'
  /** What the job does, in a line for people: `Assignee → Meera on 125 processes of Enquiry`. Names are as they were when it was accepted. Free text of its entries is not in it. */
  title: string
  /** What the job has done, as a sentence; null before it has started. */
  statusMessage: string | null
  /** The id of the team. */
  team: string
  /** Always `bulk_api_job`. */
  type: string
  /** The id of the user who created it. */
  createdBy: string
  /** The id of the procedure; null if its entries name theirs. */
  procedure: string | null
  /** The number of entries; while `isCollecting`, of those found so far. */
  total: number
  /** When the job is to start, in epoch milliseconds; null if it started at once. */
  startAt: number | null
  /** The job whose failed entries this one retries; null if it is no retry. */
  retryOf: string | null
  /** Whether it only says what it would do, and changes nothing. */
  dryRun: boolean
  /** The dry run whose entries this job applies; null if it applies none. */
  applyOf: string | null
  /** The job whose changes this one takes back; null if it takes back none. */
  undoOf: string | null
  progress: JobProgress
  /** Only there while entries are still being found, in a job for all processes that match a query, or in a retry, an undo or the application of a large job: `total` grows, and no entry is processed yet. */
  isCollecting?: true | undefined
  /** Only there while the job waits for something that has to work again: what it is. */
  pausedBecause?: string | undefined
}

/** How far a job is. */
export interface JobProgress {
  /** How many entries have ended, in whatever way. */
  done: number
  /** How many entries there are. */
  total: number
  /** How many entries ended in a second, on average; null before there is a basis, and after the end. */
  perSecond: number | null
  /** When the job will have ended if it goes on like that; null where that is not known. */
  etaAt: number | null
  /** What holds it up: its `startAt`, other jobs of the team that were started before it, the pause that `pausedBecause` tells of, the pace that its sender number has, or the provider, who has put messages off. Null: nothing that is known. */
  limitedBy: 'schedule' | 'team-share' | 'paused' | 'sender-pace' | 'provider' | null
}

export interface JobCount {
  /** The status of the jobs. */
  completionStatus: 'NOT_STARTED' | 'IN_PROGRESS' | 'SUCCESS' | 'ERROR' | 'CANCELLED'
  /** How many jobs. */
  count: number
}

/** What the retries of a job came to. Only there if it was retried. */
export interface JobRetries {
  /** How many jobs retried this one, or one of its retries. */
  jobs: number
  /** How many entries of this job were retried. */
  entries: number
  /** The id of the last of these jobs. */
  newest: string
  /** How many entries of these jobs succeeded. */
  succeeded: number
  /** The ids of those of these jobs that an undo takes something back of, newest first: an undo of this job leaves what they have done. Whoever wants all back undoes them in this order, and this job last. */
  undoFirst: string[]
  /** The entries of this job, each with what its newest try came to. Not there where a later retry took a part of the entries of an earlier one: their counts do not tell it. */
  bjEntryCompletionStatusVsCount?: EntryCounts | undefined
}

export interface DeliveryFailure {
  /** The provider's code; null if the provider was not asked. */
  code: number | null
  /** The provider's words for it. */
  title: string | null
  /** What to do about it. */
  advice: string | null
  /** How many messages. */
  count: number
}

export interface BackgroundJobEntry {
  /** The id of the entry. */
  id: string
  /** The position in the request, starting at 0. */
  index: number
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds. */
  updatedAt: number
  /** What was asked for. */
  data: {
    /** What the entry does, such as `PROCESS_UPDATE`. */
    apiType: string
    /** The process, and what is changed or sent. */
    apiData: {
      [member: string]: unknown
    }
  }
  /** Whether the entry was well-formed when the job was accepted. */
  validationStatus: 'SUCCESS' | 'ERROR'
  /** What is wrong with it; empty if nothing is. */
  validationMessage: string
  /** The same for programs; null if nothing is wrong. */
  validationResult: unknown
  /** The primary key of its process, where one is known: as it was named, or as it was found. */
  primaryKey: string | null
  /** What became of the entry. */
  completionStatus: 'INVALID' | 'NOT_STARTED' | 'IN_PROGRESS' | 'SUCCESS' | 'ERROR' | 'CANCELLED'
  /** Why the entry failed; empty if it did not. */
  completionMessage: string
  /** The id and primary key of the process if the entry succeeded, and `unchanged: true` if there was nothing to change; in a dry run with `changes`; otherwise the error of the corresponding single request, with both where there is such a process. An entry of an undo that is left because of `changed_since`, or because the definition no longer holds a former value, has in `changes` what it would have put back, of fields that nobody has changed since (`from` is the present value, `to` the former one), and in `overwritten` the same of the others. */
  completionResult: unknown
  /** The id of the team. */
  team: string
  /** The id of the job. */
  backgroundJob: string
  /** The id of the user who created the job. */
  createdBy: string
}

/** Entries that failed for the same reason. */
export interface JobFailures {
  /** Names the group in the body of a retry. To be sent as it is. */
  group: string
  /** The error code that its entries have in common. */
  code: string
  /** The place of the error in an item, which its entries have in common: a JSON Pointer with `*` for any position of a list. Null if the error is about the whole. */
  path: string | null
  /** The provider's code, if it refused the messages; otherwise null. */
  providerCode: number | null
  /** What is wrong with its entries: where their messages differ in some words, these are left out as `…`. */
  message: string
  /** How to correct it, if that is plain, and the same for all of them. */
  hint: string | null
  /** How many entries are in the group. */
  count: number
  /** How many of them have which status. */
  statuses: {
    /** How many of them failed when they were processed. */
    ERROR: number
    /** How many of them were malformed. */
    INVALID: number
  }
  /** The first of its entries. */
  entries: {
    /** The position in the request, starting at 0. */
    index: number
    /** The id of the entry. */
    id: string
    /** The primary key of its process, where one is known. */
    primaryKey: string | null
    /** Its line in the body, if that was a table or lines of JSON. */
    line: number | null
    /** What is wrong with it. */
    message: string
  }[]
  /** The different things that are wrong at the same place, the most frequent first: one as a rule. At most ten are told apart. */
  reasons: {
    /** What is wrong with these entries, with `…` where their messages differ. */
    message: string
    /** How to correct it, if that is plain, and the same for all of them. */
    hint: string | null
    /** How many entries say so. */
    count: number
    /** The first three of them. */
    entries: {
      /** The position in the request, starting at 0. */
      index: number
      /** The id of the entry. */
      id: string
      /** The primary key of its process, where one is known. */
      primaryKey: string | null
      /** Its line in the body, if that was a table or lines of JSON. */
      line: number | null
      /** What is wrong with it. */
      message: string
    }[]
  }[]
}

export interface ProcessHistoryEntry {
  /** The version of the process after the change. */
  version: number
  /** What happened. `record.updated` is a change of its customer. */
  type: 'process.created' | 'process.updated' | 'process.deleted' | 'process.restored' | 'record.updated'
  /** When it happened, in epoch milliseconds. */
  at: number
  by: EventAuthor
  /** What changed. What kept its value is left out; of a new process all that it was created with. */
  changes: {
    /** `status`, `state`, `nextActionAt`, `assignedTo`, `record`, or `data.` and the short id of an attribute; of a change of the customer `record.` and the name of an attribute. */
    field: string
    /** The value before; null if there was none. */
    from: unknown
    /** The value after; null if it was removed. */
    to: unknown
  }[]
  /** The change went against the allowed moves, by a revert with `force`. Absent otherwise. */
  forced?: true | undefined
  /** The number of the change in the team's log. */
  sequence: number
}

/** Who did it. A request has `apiKey` or `session`, and `request`; a job has `job` and `entry`; what comes with time has neither. */
export interface EventAuthor {
  /** The id of the user who did it, or on whose behalf it was done; null if nobody did. */
  user: string | null
  /** The id of the API key of the request. */
  apiKey: string | null
  /** The id of the session of the request, if it was made in the admin area. */
  session: string | null
  /** The id of the request: `_meta.requestId` of its response. */
  request: string | null
  /** The id of the background job that did it. */
  job: string | null
  /** The index of the entry of the job. */
  entry: number | null
}

export interface DeletedProcess {
  /** The id of the process. */
  id: string
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds. */
  updatedAt: number
  /** The id of the team. */
  team: string
  /** The id of the procedure. */
  procedure: string
  /** The short id of the procedure. */
  procedureShortId: string
  /** The customer that the process was for, by the id only. */
  record: {
    /** The id of the customer. */
    id: string
  } | null
  /** Whether the process is open, completed or cancelled. */
  status: 'CANCELLED' | 'COMPLETED' | 'OPEN'
  /** The short id of its state. */
  state: string
  /** When something is to be done next, in epoch milliseconds; null if nothing is planned. */
  nextActionAt: number | null
  /** The id of the assignee; null if there is none. */
  assignedTo: string | null
  /** The id of the user who created it. */
  createdBy: string | null
  /** Epoch milliseconds; 0 until the process is completed. */
  completedAt: number
  /** Values by attribute short id. */
  data: {
    [member: string]: unknown
  }
  /** Whether the process was deleted. A deleted process can be restored. */
  isDeleted: boolean
  /** When it was deleted, in epoch milliseconds. */
  deletedAt: number
  /** The id of the user who deleted it. */
  deletedBy: string | null
  /** Until when it can be restored, in epoch milliseconds: it is removed for good in the day after that. */
  keptUntil: number
}

/** The change that gave a field its value. */
export interface Blame {
  /** The version of the process that had it first. A change of the customer makes none: it is the one that the process had then. */
  version: number
  /** When it was set, in epoch milliseconds. */
  at: number
  by: EventAuthor
}

export interface PurgedProcess {
  /** The id of the process. */
  id: string
  /** False while the log, jobs and deliveries of webhooks are still gone through. Repeat the request to see; 404: all is done. */
  isComplete: boolean
}

export interface Customer {
  /** The id of the record. */
  id: string
  /** Attributes of the customer. */
  data: {
    [member: string]: unknown
  }
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds. */
  updatedAt: number
}

export interface RecordHistoryEntry {
  /** The version of the record after the change. */
  version: number
  /** What happened: what is known of the customer was changed, or another customer was merged into them. */
  type: 'record.updated' | 'record.merged'
  /** The id of the record that was merged into this one. Absent otherwise. */
  merged?: string | undefined
  /** When it happened, in epoch milliseconds. */
  at: number
  by: EventAuthor
  /** What changed, by `data.` and the name. What kept its value is left out. */
  changes: FieldChange[]
  /** The number of the change in the team's log. */
  sequence: number
}

/** What an event changed of one field. */
export interface FieldChange {
  /** Of a process `status`, `state`, `nextActionAt`, `assignedTo`, `primaryKey`, `record`, or `data.` and the short id of an attribute; of a customer `data.` and the name of an attribute. */
  field: string
  /** The value before; null if there was none. */
  from: unknown
  /** The value after; null if it was removed. */
  to: unknown
}

export interface StoredMessage {
  /** The id of the message. */
  id: string
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds. */
  updatedAt: number
  /** The provider's id of the message; null until it has one. */
  externalId: string | null
  /** The messaging provider. */
  provider: 'WHATSAPP'
  /** The type of its content, such as `text` or `image`. */
  dataType: string
  /** The text in the form of the hosted product. */
  body: {
    /** The same as `text`. */
    body: string
  }
  /** The text as the customer reads it. */
  text: string
  /** The file of an `INBOUND` message; null without one, and of an `OUTBOUND` message. */
  attachments:
    | {
        /** The provider's id of the file. */
        id: string
        /** What it is: `image`, `video`, `audio`, `document` or `sticker`. */
        type: string
        /** The media type of the file, as the customer’s phone named it. */
        mimeType: string | null
        /** The name of a document; null without one. */
        filename: string | null
        /** The provider's digest of the file, in base64. */
        sha256: string | null
        /** The path to download it from. */
        path: string
      }[]
    | null
  /** How far the message got. UNKNOWN: the provider was called, and its response did not arrive. An `INBOUND` message is always DELIVERED. */
  deliveryStatus: 'PENDING' | 'UNKNOWN' | 'SENT' | 'FAILED' | 'DELIVERED' | 'READ'
  /** `OUTBOUND`: to a customer. `INBOUND`: a customer wrote it. */
  direction: 'OUTBOUND' | 'INBOUND'
  /** When it was sent, in epoch milliseconds; of an `INBOUND` message, when the customer wrote it. */
  timestamp: number
  /** Customer and template. */
  context: {
    /** The customer's phone number: that it was sent to, or that an `INBOUND` message came from. */
    contactIdentifier: string
    /** The id of the template; null without one. */
    messageTemplateId: string | null
  }
  /** Always null. It is there for clients of the hosted product. */
  adhocAgent: null
  /** Where it comes from. */
  source: {
    /** The id of the API key or session, of the job, or, of an `INBOUND` message, of the plugin. */
    sourceId: string
    /** Which of the three. */
    sourceType: 'API' | 'BACKGROUND_JOB' | 'PLUGIN'
  }
  /** The id of the team. */
  team: string
  /** Always null. It is there for clients of the hosted product. */
  chat: null
  /** Always null. It is there for clients of the hosted product. */
  contact: null
  /** Always null. It is there for clients of the hosted product. */
  procedure: null
  /** Always null. It is there for clients of the hosted product. */
  campaign: null
  /** Of an `INBOUND` message: the message that the customer answers or reacts to, where that is stored here; null else. */
  inReplyTo: string | null
  /** The id of the plugin. */
  plugin: string
  /** The id of the user who sent it; null of an `INBOUND` message. */
  user: string | null
  /** The id of the process that it is about; null if there is none. An `INBOUND` message is about that of the message which it answers, else of the last one that the plugin sent to the number in the seven days before. */
  process: string | null
  /** Of an `INBOUND` message: the record of the customer who has the number; null if there is none, and of an `OUTBOUND` message. */
  record: string | null
  /** The provider's id of the phone number that it was sent from, or that an `INBOUND` message came to. */
  whatsappPhoneNumberId: string
  /** Of an `INBOUND` message: the name that the customer goes by on WhatsApp; null without one. */
  profileName: string | null
  /** Of an `INBOUND` message: what the provider tells under the name of `dataType`, in the provider's format: a location, contacts, a button. Null else. */
  content: unknown
  /** The error of the provider, with advice; null without one. */
  error: {
    /** The provider's code of the error. */
    code: number
    [member: string]: unknown
  } | null
  /** The message that this one sends again; null if it is the first. */
  resendOf: string | null
  /** In a list by `backgroundJob`: the primary key of its process; null without one. */
  processKey?: string | null | undefined
  /** The message that sent this one again; null if none did. */
  resentAs: string | null
  /** All changes of the delivery status. */
  history: {
    [member: string]: unknown
  }[]
}

export interface MergedCustomer {
  /** The id of the record that was merged. From then on it leads to the other. */
  id: string
  /** The id of the record that stays. */
  into: string
  /** True: nothing was changed. */
  isDryRun: boolean
  /** False while processes are still to be moved; of a dry run, if they would be. */
  isComplete: boolean
  /** Processes that were moved so far; of a dry run, that would be: up to 100,000 are counted. */
  processes: number
  /** Messages to the numbers of the record that was merged: up to 100,000 are counted. */
  messages: number
  /** Its phone numbers, which identify the record that stays. */
  phones: string[]
  /** Its e-mail addresses, likewise. */
  emails: string[]
  /** The attributes that the record that stays did not have, and took over. */
  attributes: string[]
}

export interface ErasedCustomer {
  /** The id of the record. */
  id: string
  /** False while messages or processes are still to be erased, or jobs and deliveries of webhooks are still gone through; and where the database was full, so that `remains` has `record`: repeat the request once there is room. */
  isComplete: boolean
  /** Whether the personal attributes of the processes are emptied, in history, jobs and archives as well. */
  everywhere: boolean
  /** Processes that were the customer’s, so far; 0 where only jobs and deliveries are left. */
  processes: number
  /** Messages that were erased, so far; 0 where only jobs and deliveries are left. */
  messages: number
  /** Saved views that were removed, because their filters name the customer. */
  savedViews: number
  /** What remains of the person, and until when. */
  remains: RemainingData[]
}

export interface RemainingData {
  /** What it is. */
  what:
    | 'record'
    | 'process_data'
    | 'history'
    | 'trash'
    | 'job_entries'
    | 'message_traces'
    | 'messages_to_other_numbers'
    | 'idempotency_records'
    | 'files'
    | 'saved_views'
    | 'search_index'
    | 'opt_out'
    | 'tombstone'
    | 'backups'
  /** The same, in words. */
  description: string
  /** When the last of it is removed, in epoch milliseconds; null: it stays until you remove it, or no time can be told. */
  until: number | null
}

export interface SavedView {
  /** The id of the view. */
  id: string
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds. */
  updatedAt: number
  /** The id of the team. */
  team: string
  /** The id of the user whose view it is. */
  createdBy: string
  /** The id of the procedure. */
  procedure: string
  /** The short id of the procedure. */
  procedureShortId: string
  /** What the view is called. */
  name: string
  /** As it was sent: it can be the body of a list of processes. */
  query: {
    /** Which processes. */
    where?:
      | {
          [member: string]: unknown
        }
      | undefined
    /** Words that they have. */
    search?: string | undefined
    /** The order of the processes. The default is newest first. */
    sort?:
      | {
          /** A root field or the short id of an attribute. */
          field: string
          /** Ascending or descending. */
          order: 'asc' | 'desc'
        }[]
      | undefined
  }
  /** The columns, in their order. */
  columns: string[]
  /** A table, or a board with a column for each state. */
  layout: 'table' | 'board'
  /** Whether the whole team sees it. */
  isShared: boolean
}

export interface Template {
  /** The id of the template. */
  id: string
  /** The provider's id of the template. */
  externalId: string
  /** The name to send as `templateName`. */
  name: string
  /** The language, such as `en_US`. A template exists once for each. */
  language: string
  /** The provider's category: `MARKETING`, `UTILITY` or `AUTHENTICATION`. */
  category: string
  /** The provider's decision. Only an `APPROVED` template can be sent. */
  status: string
  /** Why the provider rejected or paused it; null if it did not. */
  statusReason: string | null
  /** `POSITIONAL`: placeholders are numbers. `NAMED`: they are names. */
  parameterFormat: string
  /** The parts of the template, in the provider's format. */
  components: {
    /** `HEADER`, `BODY`, `FOOTER` or `BUTTONS`. */
    type: string
    [member: string]: unknown
  }[]
  /** Epoch milliseconds. */
  updatedAt: number
}

export interface MessageCount {
  /** The day, as 2026-11-22; null without `by=day`. */
  day: string | null
  /** The delivery status; null if another group is counted by. */
  status: 'PENDING' | 'UNKNOWN' | 'SENT' | 'FAILED' | 'DELIVERED' | 'READ' | null
  /** The id of the plugin; null if another group is counted by. */
  plugin: string | null
  /** The id of the template; null if another group is counted by, or without one. */
  template: string | null
  /** How many messages. */
  count: number
}

export interface Message {
  /** The id of the message. */
  id: string
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds. */
  updatedAt: number
  /** The provider's id of the message; null until it has one. */
  externalId: string | null
  /** The messaging provider. */
  provider: 'WHATSAPP'
  /** The type of its content, such as `text` or `image`. */
  dataType: string
  /** The text in the form of the hosted product. */
  body: {
    /** The same as `text`. */
    body: string
  }
  /** The text as the customer reads it. */
  text: string
  /** Always null. It is there for clients of the hosted product. */
  attachments: null
  /** How far the message got. UNKNOWN: the provider was called, and its response did not arrive. */
  deliveryStatus: 'PENDING' | 'UNKNOWN' | 'SENT' | 'FAILED' | 'DELIVERED' | 'READ'
  /** Always `OUTBOUND`: to a customer. */
  direction: 'OUTBOUND'
  /** Epoch milliseconds. */
  timestamp: number
  /** Recipient and template. */
  context: {
    /** The phone number that it was sent to. */
    contactIdentifier: string
    /** The id of the template; null without one. */
    messageTemplateId: string | null
  }
  /** Always null. It is there for clients of the hosted product. */
  adhocAgent: null
  /** The API key or the job that sent it. */
  source: {
    /** The id of the API key or session, or of the job. */
    sourceId: string
    /** Which of the two. */
    sourceType: 'API' | 'BACKGROUND_JOB'
  }
  /** The id of the team. */
  team: string
  /** Always null. It is there for clients of the hosted product. */
  chat: null
  /** Always null. It is there for clients of the hosted product. */
  contact: null
  /** Always null. It is there for clients of the hosted product. */
  procedure: null
  /** Always null. It is there for clients of the hosted product. */
  campaign: null
  /** Always null. It is there for clients of the hosted product. */
  inReplyTo: null
  /** The id of the plugin. */
  plugin: string
  /** The id of the user who sent it. */
  user: string
  /** The id of the process that it is about; null if there is none. */
  process: string | null
}

export interface OptOut {
  /** The phone number, digits only. */
  phoneNumber: string
  /** Epoch milliseconds. */
  since: number
  /** The message that the provider refused. */
  message: string
}

/** An event. Its `type` says which `data` it has. */
export type TeamEvent =
  | ProcessCreatedEvent
  | ProcessUpdatedEvent
  | ProcessDeletedEvent
  | ProcessRestoredEvent
  | ProcessNextActionDueEvent
  | RecordUpdatedEvent
  | RecordMergedEvent
  | RecordErasedEvent
  | BackgroundJobCompletedEvent
  | MessageReceivedEvent
  | MessageStatusChangedEvent
  | PluginStoppedEvent
  | PluginResumedEvent
  | TemplateChangedEvent
  | WebhookDisabledEvent

/** A process was created, by a call or by a job. */
export interface ProcessCreatedEvent {
  /** The id of the event. It is the same in the feed and in every delivery of a webhook. */
  id: string
  /** Its number. Those of a team have no gaps. */
  sequence: number
  /** What happened. */
  type: 'process.created'
  /** When it happened, in ISO 8601. */
  timestamp: string
  /** The id of the team. */
  team: string
  data: ProcessEventData
  by: EventAuthor
}

/** The process, and what changed. */
export interface ProcessEventData {
  /** The process as it is when the event is read, which may be later than the event; null if it is gone for good. */
  process: Process | null
  /** The version of the process after the event. */
  version: number
  /** What the event changed. What kept its value is left out. */
  changes: FieldChange[]
  /** The change went against the allowed moves, by a revert with `force`. Absent otherwise. */
  forced?: true | undefined
}

/** A process was changed, by a call or by a job. */
export interface ProcessUpdatedEvent {
  /** The id of the event. It is the same in the feed and in every delivery of a webhook. */
  id: string
  /** Its number. Those of a team have no gaps. */
  sequence: number
  /** What happened. */
  type: 'process.updated'
  /** When it happened, in ISO 8601. */
  timestamp: string
  /** The id of the team. */
  team: string
  data: ProcessEventData
  by: EventAuthor
}

/** A process was deleted. */
export interface ProcessDeletedEvent {
  /** The id of the event. It is the same in the feed and in every delivery of a webhook. */
  id: string
  /** Its number. Those of a team have no gaps. */
  sequence: number
  /** What happened. */
  type: 'process.deleted'
  /** When it happened, in ISO 8601. */
  timestamp: string
  /** The id of the team. */
  team: string
  data: ProcessEventData
  by: EventAuthor
}

/** A deleted process was restored. */
export interface ProcessRestoredEvent {
  /** The id of the event. It is the same in the feed and in every delivery of a webhook. */
  id: string
  /** Its number. Those of a team have no gaps. */
  sequence: number
  /** What happened. */
  type: 'process.restored'
  /** When it happened, in ISO 8601. */
  timestamp: string
  /** The id of the team. */
  team: string
  data: ProcessEventData
  by: EventAuthor
}

/** The `nextActionAt` of an open process has come. Once for each value. */
export interface ProcessNextActionDueEvent {
  /** The id of the event. It is the same in the feed and in every delivery of a webhook. */
  id: string
  /** Its number. Those of a team have no gaps. */
  sequence: number
  /** What happened. */
  type: 'process.next_action_due'
  /** When it happened, in ISO 8601. */
  timestamp: string
  /** The id of the team. */
  team: string
  /** The process, and the time that has come. `changes` is empty. */
  data: {
    /** The process as it is when the event is read, which may be later than the event; null if it is gone for good. */
    process: Process | null
    /** The version of the process after the event. */
    version: number
    /** What the event changed. What kept its value is left out. */
    changes: FieldChange[]
    /** The change went against the allowed moves, by a revert with `force`. Absent otherwise. */
    forced?: true | undefined
    /** The time that has come, in epoch milliseconds. The process may have another one by now. */
    nextActionAt: number
  }
  by: EventAuthor
}

/** A customer was changed. */
export interface RecordUpdatedEvent {
  /** The id of the event. It is the same in the feed and in every delivery of a webhook. */
  id: string
  /** Its number. Those of a team have no gaps. */
  sequence: number
  /** What happened. */
  type: 'record.updated'
  /** When it happened, in ISO 8601. */
  timestamp: string
  /** The id of the team. */
  team: string
  /** The customer, and what changed. */
  data: {
    /** The id of the record. */
    id: string
    /** The customer as it is when the event is read; null once the customer is erased. */
    record: Customer | null
    /** The version of the record after the event. */
    version: number
    /** What the event changed. What kept its value is left out; so is all once the customer is erased. */
    changes: FieldChange[]
  }
  by: EventAuthor
}

/** A customer was merged into another. */
export interface RecordMergedEvent {
  /** The id of the event. It is the same in the feed and in every delivery of a webhook. */
  id: string
  /** Its number. Those of a team have no gaps. */
  sequence: number
  /** What happened. */
  type: 'record.merged'
  /** When it happened, in ISO 8601. */
  timestamp: string
  /** The id of the team. */
  team: string
  /** The customer who stays, and who was merged into them. Events of its processes follow. */
  data: {
    /** The id of the record that stays. */
    id: string
    /** The id of the record that was merged into it. From then on it leads to the other. */
    merged: string
    /** The customer as it is when the event is read; null once the customer is erased. */
    record: Customer | null
    /** The version of the record after the event. */
    version: number
    /** What the record that stays took over. Nothing any more once the customer is erased. */
    changes: FieldChange[]
  }
  by: EventAuthor
}

/** A customer was erased. */
export interface RecordErasedEvent {
  /** The id of the event. It is the same in the feed and in every delivery of a webhook. */
  id: string
  /** Its number. Those of a team have no gaps. */
  sequence: number
  /** What happened. */
  type: 'record.erased'
  /** When it happened, in ISO 8601. */
  timestamp: string
  /** The id of the team. */
  team: string
  /** The customer that was erased. Processes and messages may still be on their way out. */
  data: {
    /** The id that the record had. */
    id: string
  }
  by: EventAuthor
}

/** A job has ended. */
export interface BackgroundJobCompletedEvent {
  /** The id of the event. It is the same in the feed and in every delivery of a webhook. */
  id: string
  /** Its number. Those of a team have no gaps. */
  sequence: number
  /** What happened. */
  type: 'background_job.completed'
  /** When it happened, in ISO 8601. */
  timestamp: string
  /** The id of the team. */
  team: string
  /** The job that has ended. */
  data: {
    /** The id of the job. */
    id: string
    /** The job; null once it was removed for its age. */
    backgroundJob: BackgroundJob | null
    /** How many of its entries ended in which way. Not there once the job was removed. */
    bjEntryCompletionStatusVsCount?: EntryCounts | undefined
  }
  by: EventAuthor
}

/** A customer wrote. */
export interface MessageReceivedEvent {
  /** The id of the event. It is the same in the feed and in every delivery of a webhook. */
  id: string
  /** Its number. Those of a team have no gaps. */
  sequence: number
  /** What happened. */
  type: 'message.received'
  /** When it happened, in ISO 8601. */
  timestamp: string
  /** The id of the team. */
  team: string
  /** The message that a customer wrote. */
  data: {
    /** The id of the message. */
    id: string
    /** The message as it is when the event is read; null once it was removed for its age. */
    message: StoredMessage | null
  }
  by: EventAuthor
}

/** A message to a customer got another delivery status. */
export interface MessageStatusChangedEvent {
  /** The id of the event. It is the same in the feed and in every delivery of a webhook. */
  id: string
  /** Its number. Those of a team have no gaps. */
  sequence: number
  /** What happened. */
  type: 'message.status_changed'
  /** When it happened, in ISO 8601. */
  timestamp: string
  /** The id of the team. */
  team: string
  /** The message, and what its delivery status was before and after. */
  data: {
    /** The id of the message. */
    id: string
    /** The message as it is when the event is read; null once it was removed for its age. */
    message: StoredMessage | null
    /** The delivery status before. */
    from: 'PENDING' | 'UNKNOWN' | 'SENT' | 'FAILED' | 'DELIVERED' | 'READ'
    /** The delivery status after. It never moves back. */
    to: 'PENDING' | 'UNKNOWN' | 'SENT' | 'FAILED' | 'DELIVERED' | 'READ'
  }
  by: EventAuthor
}

/** The provider refuses an account, or one of its phone numbers. */
export interface PluginStoppedEvent {
  /** The id of the event. It is the same in the feed and in every delivery of a webhook. */
  id: string
  /** Its number. Those of a team have no gaps. */
  sequence: number
  /** What happened. */
  type: 'plugin.stopped'
  /** When it happened, in ISO 8601. */
  timestamp: string
  /** The id of the team. */
  team: string
  data: PluginEventData
  by: EventAuthor
}

/** The plugin, and what of it was stopped or resumed. */
export interface PluginEventData {
  /** The id of the plugin. */
  id: string
  /** The plugin as it is when the event is read, without `webhookUrl` and `areSecretsReadable`; null once it was deleted. */
  plugin: {
    /** The id of the plugin. */
    id: string
    /** Epoch milliseconds. */
    createdAt: number
    /** Epoch milliseconds. */
    updatedAt: number
    /** The id of the team. */
    team: string
    /** The kind of account. */
    type: 'WHATSAPP'
    /** The name of the plugin, for people. */
    name: string
    /** The id of the WhatsApp business account. */
    businessAccountId: string
    /** The phone numbers that may send. */
    phoneNumbers: {
      /** The provider's id of the phone number. */
      id: string
      /** The phone number as people write it. */
      displayNumber: string
      /** How many messages a second the provider allows this number. Jobs use 97 % of it. Set it if the provider has raised the limit of the number. */
      messagesPerSecond?: number | undefined
    }[]
    /** The version of the provider's API that is called. */
    graphVersion: string
    /** The language of a template that exists in several, where a request names none. */
    defaultLanguage: string | null
    /** STOPPED while the provider refuses the whole account. */
    status: 'ACTIVE' | 'STOPPED'
    /** Why the plugin is stopped; null while it is active. */
    statusMessage: string | null
    /** When the plugin was stopped, in epoch milliseconds; null while it is active. */
    stoppedAt: number | null
    /** Those of the phone numbers that the provider refuses to send from; the others can send. */
    stoppedPhoneNumbers: {
      /** The provider's id of the phone number. */
      id: string
      /** Why the provider refuses it. */
      statusMessage: string
      /** Epoch milliseconds. */
      stoppedAt: number
    }[]
    /** When the templates were last fetched from the provider, in epoch milliseconds; null if never. */
    templatesSyncedAt: number | null
    /** The path of `webhookUrl`. */
    webhookPath: string
  } | null
  /** Whether all of the account was stopped or resumed. */
  isAccount: boolean
  /** The provider's ids of the phone numbers that were stopped or resumed by themselves. */
  phoneNumbers: string[]
  /** Why it was stopped; null if it was resumed. */
  statusMessage: string | null
}

/** An account, or one of its phone numbers, may send again. */
export interface PluginResumedEvent {
  /** The id of the event. It is the same in the feed and in every delivery of a webhook. */
  id: string
  /** Its number. Those of a team have no gaps. */
  sequence: number
  /** What happened. */
  type: 'plugin.resumed'
  /** When it happened, in ISO 8601. */
  timestamp: string
  /** The id of the team. */
  team: string
  data: PluginEventData
  by: EventAuthor
}

/** A template is new, another one, or gone. */
export interface TemplateChangedEvent {
  /** The id of the event. It is the same in the feed and in every delivery of a webhook. */
  id: string
  /** Its number. Those of a team have no gaps. */
  sequence: number
  /** What happened. */
  type: 'template.changed'
  /** When it happened, in ISO 8601. */
  timestamp: string
  /** The id of the team. */
  team: string
  /** The template, and what its status was before and after. */
  data: {
    /** The id of the template. */
    id: string
    /** The template as it is when the event is read; null if it is gone. */
    template: Template | null
    /** The id of its plugin, also if that was deleted; null once it is gone. */
    plugin: string | null
    /** The name of the template. */
    name: string
    /** Its language. */
    language: string
    /** Its status before; null if it is new. */
    from: string | null
    /** Its status after; null if it is gone. The same as `from` if its text or category changed. */
    to: string | null
  }
  by: EventAuthor
}

/** The service has disabled a webhook. */
export interface WebhookDisabledEvent {
  /** The id of the event. It is the same in the feed and in every delivery of a webhook. */
  id: string
  /** Its number. Those of a team have no gaps. */
  sequence: number
  /** What happened. */
  type: 'webhook.disabled'
  /** When it happened, in ISO 8601. */
  timestamp: string
  /** The id of the team. */
  team: string
  /** The webhook that was disabled. */
  data: {
    /** The id of the webhook. */
    id: string
    /** The webhook as it was disabled, with the reason; null in the feed of who may not read webhooks. */
    webhook: DisabledWebhook | null
  }
  by: EventAuthor
}

export interface DisabledWebhook {
  /** The id of the webhook. */
  id: string
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds. */
  updatedAt: number
  /** The id of the team. */
  team: string
  /** Where events are sent to. */
  url: string
  /** The types of events that are sent; null: all. */
  types: string[] | null
  /** The ids of the procedures whose processes are told of; null: all of them. */
  procedures: string[] | null
  /** What the webhook is for; may be empty. */
  description: string
  /** Whether events are sent. */
  enabled: boolean
  /** Whether an event waits until those before it were delivered. */
  order: 'any' | 'strict'
  /** When the service disabled the webhook, in epoch milliseconds; null if it did not. */
  disabledAt: number | null
  /** Why the service disabled the webhook; null if it did not. */
  disabledReason: string | null
  /** Since when no delivery succeeds, in epoch milliseconds; null: the last one did. After five days the webhook is disabled. */
  failingSince: number | null
  /** Until when the secret before the last rotation signs as well, in epoch milliseconds; null: only one does. */
  previousSecretUntil: number | null
}

export interface EventFeed {
  /** Whether the feed is on. */
  enabled: boolean
  /** Since when it is on, in epoch milliseconds; null if it is off. */
  since: number | null
  /** The number of the oldest event that is kept; null if there is none. */
  oldest: number | null
  /** The number of the team's last event; 0 before the first. */
  latest: number
}

export interface Webhook {
  /** The id of the webhook. */
  id: string
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds. */
  updatedAt: number
  /** The id of the team. */
  team: string
  /** Where events are sent to. */
  url: string
  /** The types of events that are sent; null: all. */
  types: string[] | null
  /** The ids of the procedures whose processes are told of; null: all of them. */
  procedures: string[] | null
  /** What the webhook is for; may be empty. */
  description: string
  /** Whether events are sent. */
  enabled: boolean
  /** Whether an event waits until those before it were delivered. */
  order: 'any' | 'strict'
  /** When the service disabled the webhook, in epoch milliseconds; null if it did not. */
  disabledAt: number | null
  /** Why the service disabled the webhook; null if it did not. */
  disabledReason: string | null
  /** Since when no delivery succeeds, in epoch milliseconds; null: the last one did. After five days the webhook is disabled. */
  failingSince: number | null
  /** Until when the secret before the last rotation signs as well, in epoch milliseconds; null: only one does. */
  previousSecretUntil: number | null
  /** How many events of the team have not come to their first attempt, and how many wait to be sent again. Events of other types or procedures count until they are passed, a minute later at most. */
  behind: number
  /** When the oldest of them happened, or failed first, in epoch milliseconds; null: nothing waits. */
  oldestWaitingSince: number | null
  /** False: the secret was encrypted with another `SECRETS_KEY` than the installation has, so nothing is sent. Rotate it with `"overlapSeconds": 0`. */
  isSecretReadable: boolean
}

export interface IssuedWebhook {
  /** The id of the webhook. */
  id: string
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds. */
  updatedAt: number
  /** The id of the team. */
  team: string
  /** Where events are sent to. */
  url: string
  /** The types of events that are sent; null: all. */
  types: string[] | null
  /** The ids of the procedures whose processes are told of; null: all of them. */
  procedures: string[] | null
  /** What the webhook is for; may be empty. */
  description: string
  /** Whether events are sent. */
  enabled: boolean
  /** Whether an event waits until those before it were delivered. */
  order: 'any' | 'strict'
  /** When the service disabled the webhook, in epoch milliseconds; null if it did not. */
  disabledAt: number | null
  /** Why the service disabled the webhook; null if it did not. */
  disabledReason: string | null
  /** Since when no delivery succeeds, in epoch milliseconds; null: the last one did. After five days the webhook is disabled. */
  failingSince: number | null
  /** Until when the secret before the last rotation signs as well, in epoch milliseconds; null: only one does. */
  previousSecretUntil: number | null
  /** How many events of the team have not come to their first attempt, and how many wait to be sent again. Events of other types or procedures count until they are passed, a minute later at most. */
  behind: number
  /** When the oldest of them happened, or failed first, in epoch milliseconds; null: nothing waits. */
  oldestWaitingSince: number | null
  /** False: the secret was encrypted with another `SECRETS_KEY` than the installation has, so nothing is sent. Rotate it with `"overlapSeconds": 0`. */
  isSecretReadable: boolean
  /** What each request is signed with. Only in the response to its creation or rotation; null where an idempotency key replays that after another rotation. */
  secret: string | null
}

export interface WebhookDelivery {
  /** The id of the event; empty where it is not kept any more: `error` says so. */
  event: string
  /** The number of the event. */
  sequence: number
  /** The type of the event; empty where it is not kept any more. */
  type: string
  /** Which attempt to deliver the event it was; the first is 1. A replay of what was delivered or given up begins with 1 again. 0: it was not sent, as it is not kept any more. */
  attempt: number
  /** Whether the receiver accepted it: with a status from 200 to 299. */
  isDelivered: boolean
  /** When it was sent, in epoch milliseconds. */
  at: number
  /** How long the response took, in milliseconds. */
  ms: number
  /** The status of the response; null: there was none, and `error` says why. */
  status: number | null
  /** Why there was no response; null if there was one. */
  error: string | null
  /** The start of the body of the response; may be empty. */
  response: string
  /** When the event is sent again, in epoch milliseconds; null: it is not, because it was delivered or given up. */
  nextAttemptAt: number | null
}

export interface WebhookTest {
  /** The id of the event; empty where it is not kept any more: `error` says so. */
  event: string
  /** Whether the receiver accepted it: with a status from 200 to 299. */
  isDelivered: boolean
  /** The status of the response; null: there was none, and `error` says why. */
  status: number | null
  /** How long the response took, in milliseconds. */
  ms: number
  /** Why there was no response; null if there was one. */
  error: string | null
  /** The start of the body of the response; may be empty. */
  response: string
}

export interface WebhookReplay {
  /** The id of the replay. */
  id: string
  /** The number of the first event that is sent again. */
  from: number
  /** The number of the last event that is sent again. */
  to: number
  /** How many events are looked at; those that the webhook has no interest in are not sent. */
  events: number
}

export interface LoggedRequest {
  /** The id of the request. */
  id: string
  /** When it began. */
  createdAt: number
  /** The method. */
  method: string
  /** The operation of the reference; null if there was none for it. */
  operation: string | null
  /** The path, with `*` in place of what may be personal. Of the query, the names of its parameters only. */
  path: string
  /** The status of the response. */
  status: number
  /** The error code; null if there was no error. */
  code: string | null
  /** The first five faults of a refused request that name a field, or of an error that quotes no value; else empty. */
  faults: {
    /** Where: a JSON Pointer into the request; empty: the request as a whole. */
    path: string
    /** What was wrong, with `*` in place of what may be personal. */
    message: string
  }[]
  /** The id of the API key that was used; null if it was none. */
  apiKey: string | null
  /** The id of the session that was used; null if it was none. */
  session: string | null
  /** The id of the user on whose behalf it was. */
  user: string
  /** The IP address that it came from; null if it is not known. */
  address: string | null
  /** How long it took until the response began. */
  ms: number
  /** The use of the database until the response began. */
  database: {
    /** Round trips. */
    trips: number
    /** Rows read. */
    rowsRead: number
    /** Rows written. */
    rowsWritten: number
    /** What the statements themselves took. */
    ms: number
  }
}

export interface Usage {
  /** The month, in UTC. */
  month: string
  /** Each day of the month, up to today. */
  days: {
    /** The day, as 2026-11-22. */
    day: string
    /** Requests that were answered to keys and sessions of the team. */
    requests: number
    /** How many of them failed: with a status of 400 or more. */
    failed: number
    /** Rows that these requests read. */
    rowsRead: number
    /** Rows that these requests wrote, entries of indexes included. */
    rowsWritten: number
    /** What their statements took of the database. */
    databaseMs: number
    /** Background jobs that were created. Jobs that were removed for their age are not counted. */
    jobs: number
    /** Entries of these jobs. */
    jobEntries: number
    /** Messages to customers, by the delivery status that they have now. */
    messages: {
      /** Those that are PENDING. */
      PENDING: number
      /** Those that are UNKNOWN. */
      UNKNOWN: number
      /** Those that are SENT. */
      SENT: number
      /** Those that are FAILED. */
      FAILED: number
      /** Those that are DELIVERED. */
      DELIVERED: number
      /** Those that are READ. */
      READ: number
    }
    /** Events of the log: changes of processes and customers, and what the event feed tells besides. */
    events: number
    /** Attempts to deliver events to webhooks, of the last 30 days. */
    webhookDeliveries: number
  }[]
  /** All days together. */
  total: {
    /** Requests that were answered to keys and sessions of the team. */
    requests: number
    /** How many of them failed: with a status of 400 or more. */
    failed: number
    /** Rows that these requests read. */
    rowsRead: number
    /** Rows that these requests wrote, entries of indexes included. */
    rowsWritten: number
    /** What their statements took of the database. */
    databaseMs: number
    /** Background jobs that were created. Jobs that were removed for their age are not counted. */
    jobs: number
    /** Entries of these jobs. */
    jobEntries: number
    /** Messages to customers, by the delivery status that they have now. */
    messages: {
      /** Those that are PENDING. */
      PENDING: number
      /** Those that are UNKNOWN. */
      UNKNOWN: number
      /** Those that are SENT. */
      SENT: number
      /** Those that are FAILED. */
      FAILED: number
      /** Those that are DELIVERED. */
      DELIVERED: number
      /** Those that are READ. */
      READ: number
    }
    /** Events of the log: changes of processes and customers, and what the event feed tells besides. */
    events: number
    /** Attempts to deliver events to webhooks, of the last 30 days. */
    webhookDeliveries: number
  }
  /** False: something is missing: messages, jobs or deliveries, where there are too many to count, or events that are not kept any more. */
  isComplete: boolean
  /** What this costs at Cloudflare's list prices. Without storage, and without what a plan includes. */
  cost: {
    /** All items together. */
    dollars: number
    /** What it is made of. */
    items: {
      /** What is paid for. */
      item: 'requests' | 'cpu' | 'rowsRead' | 'rowsWritten' | 'jobEntries' | 'messageReports' | 'webhookDeliveries'
      /** How much of it: requests, milliseconds, rows, entries, messages, deliveries. */
      count: number
      /** What it costs at list prices, without what a plan includes. */
      dollars: number
      /** False: it was counted. True: it is worked out from typical figures. */
      isEstimate: boolean
    }[]
  }
  /** The limits of the team. */
  limits: {
    /** By role: the requests in a minute with a key, or of a user in all of their sessions. */
    callsPerMinute: {
      [member: string]: number
    }
    /** The time in the database that the team has while others wait for it. */
    databaseMsPerSecond: number
  }
}

export interface Caller {
  /** The team of the key or session. A request can only read and change what belongs to it. */
  team: {
    /** The id of the team. */
    id: string
    /** The short id of the team. */
    shortId: string
    /** The name of the team, for people. */
    name: string
  }
  /** The user on whose behalf the request is made. */
  user: {
    /** The id of the user. */
    id: string
    /** A name without spaces, unique in the team. */
    username: string
    /** The name that people see. */
    displayName: string
    /** The primary e-mail address; null if there is none. */
    email: string | null
  }
  /** The API key of the request: always there where a token was sent, null where a session was. */
  key: {
    /** The id of the key. */
    id: string
    /** What the key is for. */
    name: string
    /** The first characters of the token. */
    prefix: string
    /** The last characters of the token. */
    lastFour: string
    /** When the key stops working, in epoch milliseconds; null means never. */
    expiresAt: number | null
  } | null
  /** The session of the request; null where a token was sent. */
  session: {
    /** The id of the session. */
    id: string
    /** How they have signed in. */
    method: 'link' | 'passkey' | 'openid'
    /** Epoch milliseconds. */
    createdAt: number
    /** When it ends at the latest, in epoch milliseconds. It ends after 12 hours without a request. */
    expiresAt: number
  } | null
  /** The role of the key, or of the user who has signed in. */
  role: {
    /** The id of the role. */
    id: string
    /** The short id of the role. */
    shortId: string
    /** The name of the role, for people. */
    name: string
  }
  /** What the caller may do: what the role allows, and for a key the role of its user, too. */
  permissions: string[]
  /** What the caller may send. */
  limits: {
    /** With this key, or in all sessions of the user. */
    callsPerMinute: number
    /** The largest page of a list. */
    listLimit: number
    /** The most entries of one bulk request of JSON. */
    bulkEntries: number
    /** The largest body of JSON of a bulk request. */
    bulkBytes: number
    /** The most entries of one bulk request of CSV or NDJSON. */
    bulkLines: number
    /** The largest body of CSV or NDJSON of a bulk request. */
    bulkLinesBytes: number
  }
}

export interface UserV1 {
  /** The id of the user. */
  id: string
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds. */
  updatedAt: number
  /** A name without spaces, unique in the team. */
  username: string
  /** The first name; may be empty. */
  firstName: string
  /** The last name; may be empty. */
  lastName: string
  /** Always empty. It is there for clients of the hosted product. */
  middleName: string
  /** The name that people see. */
  displayName: string
  /** Always empty. It is there for clients of the hosted product. */
  gender: string
  /** Always 0. It is there for clients of the hosted product. */
  dob: number
  /** Always empty. It is there for clients of the hosted product. */
  bio: string
  /** Always empty. It is there for clients of the hosted product. */
  profileImageUrl: string
  /** Always empty. It is there for clients of the hosted product. */
  coverImageUrl: string
  /** A UTC offset such as `+0530`. */
  timezone: string
  /** Always null. It is there for clients of the hosted product. */
  data: null
  /** Always null. It is there for clients of the hosted product. */
  onboardingData: null
  /** Whether the user can act. */
  isActive: boolean
  /** Whether the user was deleted. */
  isDeleted: boolean
  /** When the user was deleted, in epoch milliseconds; null if not. */
  deletedAt: number | null
  /** Always `AVAILABLE`. */
  availabilityStatus: string
  /** The id of the team. */
  team: string
  /** The id of the role. */
  role: string
  /** The primary e-mail address; null if there is none. */
  primaryEmail: Email | null
  /** Always null. It is there for clients of the hosted product. */
  primaryPhone: null
  /** Always null. It is there for clients of the hosted product. */
  profile: null
}

export interface Email {
  /** The id of the e-mail address. */
  id: string
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds. */
  updatedAt: number
  /** The address as it was given. */
  email: string
  /** The address in lower case. */
  normalizedEmail: string
  /** Always empty: addresses have no type here. */
  type: string
  /** Always false: addresses are not verified here. */
  isVerified: boolean
  /** The user who has the address. */
  user: string
}

export interface SingleUserV1 {
  /** The id of the user. */
  id: string
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds. */
  updatedAt: number
  /** A name without spaces, unique in the team. */
  username: string
  /** The first name; may be empty. */
  firstName: string
  /** The last name; may be empty. */
  lastName: string
  /** Always empty. It is there for clients of the hosted product. */
  middleName: string
  /** The name that people see. */
  displayName: string
  /** Always empty. It is there for clients of the hosted product. */
  gender: string
  /** Always 0. It is there for clients of the hosted product. */
  dob: number
  /** Always empty. It is there for clients of the hosted product. */
  bio: string
  /** Always empty. It is there for clients of the hosted product. */
  profileImageUrl: string
  /** Always empty. It is there for clients of the hosted product. */
  coverImageUrl: string
  /** A UTC offset such as `+0530`. */
  timezone: string
  /** Always null. It is there for clients of the hosted product. */
  data: null
  /** Always null. It is there for clients of the hosted product. */
  onboardingData: null
  /** Whether the user can act. */
  isActive: boolean
  /** Whether the user was deleted. */
  isDeleted: boolean
  /** When the user was deleted, in epoch milliseconds; null if not. */
  deletedAt: number | null
  /** Always `AVAILABLE`. */
  availabilityStatus: string
  /** The id of the team. */
  team: string
  /** The id of the role. */
  role: string
  /** The primary e-mail address; null if there is none. */
  primaryEmail: Email | null
  /** Always null. It is there for clients of the hosted product. */
  primaryPhone: null
  /** Always null. It is there for clients of the hosted product. */
  profile: null
  /** Always empty. It is there for clients of the hosted product. */
  phones: never[]
  /** All e-mail addresses. */
  emails: Email[]
  /** The users who have this user as their manager. */
  reportees: UserV1[]
}

export interface UserV2 {
  /** The id of the user. */
  id: string
  /** In the user's timezone. */
  createdAt: string
  /** In the user's timezone. */
  updatedAt: string
  /** A name without spaces, unique in the team. */
  username: string
  /** The first name; may be empty. */
  firstName: string
  /** The last name; may be empty. */
  lastName: string
  /** Always empty. It is there for clients of the hosted product. */
  middleName: string
  /** The name that people see. */
  displayName: string
  /** Always empty. It is there for clients of the hosted product. */
  gender: string
  /** Always 0. It is there for clients of the hosted product. */
  dob: number
  /** Always empty. It is there for clients of the hosted product. */
  bio: string
  /** Always empty. It is there for clients of the hosted product. */
  profileImageUrl: string
  /** Always empty. It is there for clients of the hosted product. */
  coverImageUrl: string
  /** A UTC offset such as `+0530`. */
  timezone: string
  /** Always null. It is there for clients of the hosted product. */
  data: null
  /** Always null. It is there for clients of the hosted product. */
  onboardingData: null
  /** Whether the user can act. */
  isActive: boolean
  /** Whether the user was deleted. */
  isDeleted: boolean
  /** When the user was deleted, in epoch milliseconds; null if not. */
  deletedAt: number | null
  /** Always `AVAILABLE`. */
  availabilityStatus: string
  /** The short id of the team. */
  team: string
  /** The short id of the role. */
  role: string
  /** The primary e-mail address itself; null if there is none. */
  primaryEmail: string | null
  /** Always null. It is there for clients of the hosted product. */
  primaryPhone: null
  /** Always null. It is there for clients of the hosted product. */
  profile: null
}

export interface SingleUserV2 {
  /** The id of the user. */
  id: string
  /** In the user's timezone. */
  createdAt: string
  /** In the user's timezone. */
  updatedAt: string
  /** A name without spaces, unique in the team. */
  username: string
  /** The first name; may be empty. */
  firstName: string
  /** The last name; may be empty. */
  lastName: string
  /** Always empty. It is there for clients of the hosted product. */
  middleName: string
  /** The name that people see. */
  displayName: string
  /** Always empty. It is there for clients of the hosted product. */
  gender: string
  /** Always 0. It is there for clients of the hosted product. */
  dob: number
  /** Always empty. It is there for clients of the hosted product. */
  bio: string
  /** Always empty. It is there for clients of the hosted product. */
  profileImageUrl: string
  /** Always empty. It is there for clients of the hosted product. */
  coverImageUrl: string
  /** A UTC offset such as `+0530`. */
  timezone: string
  /** Always null. It is there for clients of the hosted product. */
  data: null
  /** Always null. It is there for clients of the hosted product. */
  onboardingData: null
  /** Whether the user can act. */
  isActive: boolean
  /** Whether the user was deleted. */
  isDeleted: boolean
  /** When the user was deleted, in epoch milliseconds; null if not. */
  deletedAt: number | null
  /** Always `AVAILABLE`. */
  availabilityStatus: string
  /** The short id of the team. */
  team: string
  /** The short id of the role. */
  role: string
  /** The primary e-mail address itself; null if there is none. */
  primaryEmail: string | null
  /** Always null. It is there for clients of the hosted product. */
  primaryPhone: null
  /** Always null. It is there for clients of the hosted product. */
  profile: null
  /** Always empty. It is there for clients of the hosted product. */
  phones: never[]
  /** All e-mail addresses. */
  emails: Email[]
  /** The users who have this user as their manager. */
  reportees: UserV2[]
}

export interface WaysToSignIn {
  /** A link that an admin or the operator has made. */
  link: true
  /** A passkey that was added in a session. */
  passkey: boolean
  /** Cloudflare Access. */
  access: boolean
  /** An OpenID provider; null if none is set up. */
  openid: {
    /** What the provider is called. */
    name: string
  } | null
}

export interface Session {
  /** The id of the session. */
  id: string
  /** The user who has signed in. */
  user: string
  /** How they have signed in. */
  method: 'link' | 'passkey' | 'openid'
  /** The beginning of the browser's `user-agent`; may be empty. */
  agent: string
  /** Whether it is the session of this request. */
  isCurrent: boolean
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds, accurate to ten minutes. */
  lastUsedAt: number
  /** When it ends at the latest, in epoch milliseconds. It ends after 12 hours without a request. */
  expiresAt: number
  /** When it was ended, in epoch milliseconds; null if it was not. */
  endedAt: number | null
}

export interface SignedOut {
  /** The session of the cookie, if there was one, has ended. */
  signedOut: true
}

export interface SignInLink {
  /** The id of the link. */
  id: string
  /** The user who signs in with it. */
  user: string
  /** The address to open, only in this response. Null when an idempotency key replays it. */
  url: string | null
  /** Epoch milliseconds. */
  createdAt: number
  /** Until when it can be used, once; in epoch milliseconds. */
  expiresAt: number
}

export interface OpenIdSignIn {
  /** Where the browser goes: to the provider. */
  url: string
}

export interface OpenIdPerson {
  /** The teams in which an active user has the e-mail address that the provider has verified; at least one. */
  teams: {
    /** The short id of the team: for `POST /v1/session`. */
    shortId: string
    /** What it is called. */
    name: string
  }[]
  /** The page that was wanted when it began. */
  from: string
}

/** For `PublicKeyCredential.parseRequestOptionsFromJSON` and `navigator.credentials.get`. */
export interface SignInChallenge {
  /** Is signed; holds for five minutes, and for one answer. */
  challenge: string
  /** The host name of the installation. */
  rpId: string
  /** In milliseconds. */
  timeout: number
  /** A fingerprint or PIN, if the authenticator has one. */
  userVerification: 'preferred'
}

/** For `PublicKeyCredential.parseCreationOptionsFromJSON` and `navigator.credentials.create`. */
export interface PasskeyChallenge {
  /** Is signed; holds for five minutes, and for one answer. */
  challenge: string
  /** Where the passkey will be used. */
  rp: {
    /** The host name of the installation. */
    id: string
    /** What the authenticator shows. */
    name: string
  }
  /** Whose passkey it will be. */
  user: {
    /** The id of the user, in base64url. */
    id: string
    /** The username. */
    name: string
    /** The name that people see. */
    displayName: string
  }
  /** Which algorithms are accepted. */
  pubKeyCredParams: {
    /** The only type. */
    type: 'public-key'
    /** The number of the algorithm in COSE. */
    alg: number
  }[]
  /** In milliseconds. */
  timeout: number
  /** Which model the authenticator is does not matter. */
  attestation: 'none'
  /** What it must be able to do. */
  authenticatorSelection: {
    /** The authenticator keeps whose it is: nobody types a name. */
    residentKey: 'required'
    /** The same, for older browsers. */
    requireResidentKey: true
    /** A fingerprint or PIN, if the authenticator has one. */
    userVerification: 'preferred'
  }
  /** Those that the user has: the same authenticator is not added twice. */
  excludeCredentials: {
    /** The id of a credential. */
    id: string
    /** The only type. */
    type: 'public-key'
  }[]
}

export interface Passkey {
  /** The id of the passkey. */
  id: string
  /** Who signs in with it. */
  user: string
  /** By which its owner knows it. */
  name: string
  /** Whether it is kept in an account of its owner, and so on several devices. */
  isBackedUp: boolean
  /** Epoch milliseconds. */
  createdAt: number
  /** When somebody signed in with it, in epoch milliseconds; null if nobody has. */
  lastUsedAt: number | null
}

export interface IssuedApiKey {
  /** The id of the key. */
  id: string
  /** What the key is for. */
  name: string
  /** More about the key; may be empty. */
  description: string
  /** The short id of the role. */
  role: string
  /** The id of the role. */
  roleId: string
  /** The user on whose behalf requests with this key are made. */
  user: string
  /** The first characters of the token. */
  prefix: string
  /** The last characters of the token. */
  lastFour: string
  /** Epoch milliseconds. */
  createdAt: number
  /** The user who created the key; null for the first key of a team. */
  createdBy: string | null
  /** When the key stops working, in epoch milliseconds; null means never. */
  expiresAt: number | null
  /** When the key was revoked, in epoch milliseconds; null if it was not. */
  revokedAt: number | null
  /** Epoch milliseconds, accurate to ten minutes. */
  lastUsedAt: number | null
  /** Only in this response. Null when an idempotency key replays it. */
  token: string | null
}

export interface ApiKey {
  /** The id of the key. */
  id: string
  /** What the key is for. */
  name: string
  /** More about the key; may be empty. */
  description: string
  /** The short id of the role. */
  role: string
  /** The id of the role. */
  roleId: string
  /** The user on whose behalf requests with this key are made. */
  user: string
  /** The first characters of the token. */
  prefix: string
  /** The last characters of the token. */
  lastFour: string
  /** Epoch milliseconds. */
  createdAt: number
  /** The user who created the key; null for the first key of a team. */
  createdBy: string | null
  /** When the key stops working, in epoch milliseconds; null means never. */
  expiresAt: number | null
  /** When the key was revoked, in epoch milliseconds; null if it was not. */
  revokedAt: number | null
  /** Epoch milliseconds, accurate to ten minutes. */
  lastUsedAt: number | null
}
