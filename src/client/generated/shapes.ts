// Generated from the OpenAPI document by `npm run client`. Do not edit.

export interface Config {
  team: {
    id: string
    shortId: string
    name: string
  }
  procedures: Procedure[]
  attributes: {
    shortId: string
    name: string
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
    required: boolean
    indexed: boolean
    values?: (string | number)[] | undefined
    searchable?: boolean | undefined
    /** False while the words of existing processes are being indexed; `search` is refused until then. */
    searchReady?: boolean | undefined
    /** False while the index is being built, and where a stored value has another type or is too long: then there is no index. Filters work in any case. */
    indexReady?: boolean | undefined
    procedure: string
    procedureShortId: string
  }[]
  states: {
    shortId: string
    name: string
    next?: string[] | undefined
    procedure: string
    procedureShortId: string
  }[]
  roles: {
    id: string
    shortId: 'admin' | 'manager' | 'agent' | 'viewer'
    name: string
    permissions: (
      | 'process:read'
      | 'process:write'
      | 'process:delete'
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
      | 'operate'
    )[]
  }[]
  users: {
    id: string
    username: string
    displayName: string
    role: string
    isActive: boolean
  }[]
  plugins: Plugin[]
}

export interface Procedure {
  id: string
  shortId: string
  name: string
  states: {
    shortId: string
    name: string
    next?: string[] | undefined
  }[]
  startState: string
  completedState: string
  attributes: {
    shortId: string
    name: string
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
    required: boolean
    indexed: boolean
    values?: (string | number)[] | undefined
    searchable?: boolean | undefined
    /** False while the words of existing processes are being indexed; `search` is refused until then. */
    searchReady?: boolean | undefined
    /** False while the index is being built, and where a stored value has another type or is too long: then there is no index. Filters work in any case. */
    indexReady?: boolean | undefined
  }[]
  primaryKey: string | null
  phoneAttribute: string | null
  strict: boolean
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds. */
  updatedAt: number
}

export interface Plugin {
  id: string
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds. */
  updatedAt: number
  team: string
  type: 'WHATSAPP'
  name: string
  businessAccountId: string
  phoneNumbers: {
    id: string
    displayNumber: string
    /** How many messages a second the provider allows this number. Jobs use 97 % of it. Set it if the provider has raised the limit of the number. */
    messagesPerSecond?: number | undefined
  }[]
  graphVersion: string
  /** The language of a template that exists in several, where a request names none. */
  defaultLanguage: string | null
  /** STOPPED while the provider refuses the whole account. */
  status: 'ACTIVE' | 'STOPPED'
  statusMessage: string | null
  stoppedAt: number | null
  /** Those of the phone numbers that the provider refuses to send from; the others can send. */
  stoppedPhoneNumbers: {
    id: string
    statusMessage: string
    /** Epoch milliseconds. */
    stoppedAt: number
  }[]
  templatesSyncedAt: number | null
  webhookPath: string
  /** The address to register with the provider. */
  webhookUrl: string
}

/** The request was answered, and may have meant something else. */
export interface Warning {
  code: 'undeclared_attribute'
  message: string
  /** A JSON Pointer into the request. */
  path: string
  /** The correction, if it is plain. */
  hint?: string | undefined
}

export interface Process {
  id: string
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds. */
  updatedAt: number
  team: string
  procedure: string
  procedureShortId: string
  /** The customer that the process is for. */
  record: {
    id: string
    data: {
      [member: string]: unknown
    }
    /** Epoch milliseconds. */
    createdAt: number
    /** Epoch milliseconds. */
    updatedAt: number
  } | null
  status: 'CANCELLED' | 'COMPLETED' | 'OPEN'
  state: string
  nextActionAt: number | null
  assignedTo: string | null
  createdBy: string | null
  /** Epoch milliseconds; 0 until the process is completed. */
  completedAt: number
  /** Values by attribute short id. */
  data: {
    [member: string]: unknown
  }
  isDeleted: boolean
}

/** A process with only the fields that `fields` names; `data` and `record.data` have only the attributes that it names. */
export interface ChosenProcess {
  id?: string | undefined
  /** Epoch milliseconds. */
  createdAt?: number | undefined
  /** Epoch milliseconds. */
  updatedAt?: number | undefined
  team?: string | undefined
  procedure?: string | undefined
  procedureShortId?: string | undefined
  record?:
    | {
        id?: string | undefined
        data?:
          | {
              [member: string]: unknown
            }
          | undefined
        /** Epoch milliseconds. */
        createdAt?: number | undefined
        /** Epoch milliseconds. */
        updatedAt?: number | undefined
        /** The phone number, digits only, by which the customer is known. */
        phone?: string | null | undefined
        /** The e-mail address by which the customer is known. */
        email?: string | null | undefined
      }
    | null
    | undefined
  status?: 'CANCELLED' | 'COMPLETED' | 'OPEN' | undefined
  state?: string | undefined
  nextActionAt?: number | null | undefined
  assignedTo?: string | null | undefined
  createdBy?: string | null | undefined
  /** Epoch milliseconds; 0 until the process is completed. */
  completedAt?: number | undefined
  /** Values by attribute short id. */
  data?:
    | {
        [member: string]: unknown
      }
    | undefined
  isDeleted?: boolean | undefined
}

/** The figures of the processes that have the same values. */
export interface AggregatedGroup {
  /** The value of each field of `groupBy`, null where it is not set. Of a date, the first day. */
  group: {
    [member: string]: string | number | boolean | null
  }
  /** The number of processes. */
  count?: number | undefined
  sum?:
    | {
        [member: string]: number | null
      }
    | undefined
  avg?:
    | {
        [member: string]: number | null
      }
    | undefined
  min?:
    | {
        [member: string]: number | string | null
      }
    | undefined
  max?:
    | {
        [member: string]: number | string | null
      }
    | undefined
}

export interface ProcessCount {
  count: number
}

/** The number of entries in each status. They always add up to the number of entries. */
export interface EntryCounts {
  INVALID: number
  NOT_STARTED: number
  IN_PROGRESS: number
  SUCCESS: number
  ERROR: number
  CANCELLED: number
}

export interface BackgroundJob {
  id: string
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds. */
  updatedAt: number
  /** Epoch milliseconds. */
  startedAt: number
  /** Epoch milliseconds; 0 until the job has ended. */
  completedAt: number
  completionStatus: 'NOT_STARTED' | 'IN_PROGRESS' | 'SUCCESS' | 'ERROR' | 'CANCELLED'
  statusMessage: string | null
  team: string
  type: string
  createdBy: string
  procedure: string | null
  /** The number of entries; while `isCollecting`, of those found so far. */
  total: number
  startAt: number | null
  /** The job whose failed entries this one retries. */
  retryOf: string | null
  /** Only there while entries are still being found, in a job for all processes that match a query: `total` grows, and no entry is processed yet. */
  isCollecting?: true | undefined
}

export interface BackgroundJobEntry {
  id: string
  /** The position in the request, starting at 0. */
  index: number
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds. */
  updatedAt: number
  data: {
    apiType: string
    apiData: {
      [member: string]: unknown
    }
  }
  validationStatus: 'SUCCESS' | 'ERROR'
  validationMessage: string
  validationResult: unknown
  completionStatus: 'INVALID' | 'NOT_STARTED' | 'IN_PROGRESS' | 'SUCCESS' | 'ERROR' | 'CANCELLED'
  completionMessage: string
  /** The id of the process if the entry succeeded, otherwise the error of the corresponding single request. */
  completionResult: unknown
  team: string
  backgroundJob: string
  createdBy: string
}

export interface Customer {
  id: string
  data: {
    [member: string]: unknown
  }
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds. */
  updatedAt: number
}

export interface StoredMessage {
  id: string
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds. */
  updatedAt: number
  /** The provider's id of the message. */
  externalId: string | null
  provider: 'WHATSAPP'
  dataType: string
  body: {
    body: string
  }
  /** The text as the customer reads it. */
  text: string
  attachments: null
  deliveryStatus: 'PENDING' | 'UNKNOWN' | 'SENT' | 'FAILED' | 'DELIVERED' | 'READ'
  direction: 'OUTBOUND'
  /** Epoch milliseconds. */
  timestamp: number
  context: {
    contactIdentifier: string
    messageTemplateId: string | null
  }
  adhocAgent: null
  /** The API key or the job that sent it. */
  source: {
    sourceId: string
    sourceType: 'API' | 'BACKGROUND_JOB'
  }
  team: string
  chat: null
  contact: null
  procedure: null
  campaign: null
  inReplyTo: null
  plugin: string
  user: string
  process: string | null
  whatsappPhoneNumberId: string
  /** The error of the provider, with advice. */
  error: {
    code: number
    [member: string]: unknown
  } | null
  resendOf: string | null
  resentAs: string | null
  /** All changes of the delivery status. */
  history: {
    [member: string]: unknown
  }[]
}

export interface ErasedCustomer {
  id: string
  /** False while messages or processes are still to be erased. */
  isComplete: boolean
  /** Processes that were the customer’s, so far. */
  processes: number
  /** Messages that were erased, so far. */
  messages: number
}

export interface Template {
  id: string
  externalId: string
  name: string
  language: string
  category: string
  status: string
  statusReason: string | null
  parameterFormat: string
  components: {
    type: string
    [member: string]: unknown
  }[]
  /** Epoch milliseconds. */
  updatedAt: number
}

export interface Message {
  id: string
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds. */
  updatedAt: number
  /** The provider's id of the message. */
  externalId: string | null
  provider: 'WHATSAPP'
  dataType: string
  body: {
    body: string
  }
  /** The text as the customer reads it. */
  text: string
  attachments: null
  deliveryStatus: 'PENDING' | 'UNKNOWN' | 'SENT' | 'FAILED' | 'DELIVERED' | 'READ'
  direction: 'OUTBOUND'
  /** Epoch milliseconds. */
  timestamp: number
  context: {
    contactIdentifier: string
    messageTemplateId: string | null
  }
  adhocAgent: null
  /** The API key or the job that sent it. */
  source: {
    sourceId: string
    sourceType: 'API' | 'BACKGROUND_JOB'
  }
  team: string
  chat: null
  contact: null
  procedure: null
  campaign: null
  inReplyTo: null
  plugin: string
  user: string
  process: string | null
}

export interface OptOut {
  phoneNumber: string
  /** Epoch milliseconds. */
  since: number
  /** The message that the provider refused. */
  message: string
}

export interface Caller {
  team: {
    id: string
    shortId: string
    name: string
  }
  user: {
    id: string
    username: string
    displayName: string
    email: string | null
  }
  key: {
    id: string
    name: string
    /** The first characters of the token. */
    prefix: string
    /** The last characters of the token. */
    lastFour: string
    expiresAt: number | null
  }
  role: {
    id: string
    shortId: string
    name: string
  }
  /** What the role of the key allows. */
  permissions: string[]
  limits: {
    /** With this key. */
    callsPerMinute: number
    /** The largest page of a list. */
    listLimit: number
    /** The most entries of one bulk request. */
    bulkEntries: number
    /** The largest body of a bulk request. */
    bulkBytes: number
  }
}

export interface UserV1 {
  id: string
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds. */
  updatedAt: number
  username: string
  firstName: string
  lastName: string
  middleName: string
  displayName: string
  gender: string
  dob: number
  bio: string
  profileImageUrl: string
  coverImageUrl: string
  /** A UTC offset such as `+0530`. */
  timezone: string
  data: null
  onboardingData: null
  isActive: boolean
  isDeleted: boolean
  deletedAt: number | null
  availabilityStatus: string
  team: string
  role: string
  primaryEmail: Email | null
  primaryPhone: null
  profile: null
}

export interface Email {
  id: string
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds. */
  updatedAt: number
  email: string
  normalizedEmail: string
  type: string
  isVerified: boolean
  user: string
}

export interface SingleUserV1 {
  id: string
  /** Epoch milliseconds. */
  createdAt: number
  /** Epoch milliseconds. */
  updatedAt: number
  username: string
  firstName: string
  lastName: string
  middleName: string
  displayName: string
  gender: string
  dob: number
  bio: string
  profileImageUrl: string
  coverImageUrl: string
  /** A UTC offset such as `+0530`. */
  timezone: string
  data: null
  onboardingData: null
  isActive: boolean
  isDeleted: boolean
  deletedAt: number | null
  availabilityStatus: string
  team: string
  role: string
  primaryEmail: Email | null
  primaryPhone: null
  profile: null
  phones: never[]
  emails: Email[]
  reportees: UserV1[]
}

export interface UserV2 {
  id: string
  /** In the user's timezone. */
  createdAt: string
  /** In the user's timezone. */
  updatedAt: string
  username: string
  firstName: string
  lastName: string
  middleName: string
  displayName: string
  gender: string
  dob: number
  bio: string
  profileImageUrl: string
  coverImageUrl: string
  /** A UTC offset such as `+0530`. */
  timezone: string
  data: null
  onboardingData: null
  isActive: boolean
  isDeleted: boolean
  deletedAt: number | null
  availabilityStatus: string
  /** The short id of the team. */
  team: string
  /** The short id of the role. */
  role: string
  primaryEmail: string | null
  primaryPhone: null
  profile: null
}

export interface SingleUserV2 {
  id: string
  /** In the user's timezone. */
  createdAt: string
  /** In the user's timezone. */
  updatedAt: string
  username: string
  firstName: string
  lastName: string
  middleName: string
  displayName: string
  gender: string
  dob: number
  bio: string
  profileImageUrl: string
  coverImageUrl: string
  /** A UTC offset such as `+0530`. */
  timezone: string
  data: null
  onboardingData: null
  isActive: boolean
  isDeleted: boolean
  deletedAt: number | null
  availabilityStatus: string
  /** The short id of the team. */
  team: string
  /** The short id of the role. */
  role: string
  primaryEmail: string | null
  primaryPhone: null
  profile: null
  phones: never[]
  emails: Email[]
  reportees: UserV2[]
}

export interface IssuedApiKey {
  id: string
  name: string
  description: string
  /** The short id of the role. */
  role: string
  roleId: string
  /** The user on whose behalf requests with this key are made. */
  user: string
  /** The first characters of the token. */
  prefix: string
  /** The last characters of the token. */
  lastFour: string
  /** Epoch milliseconds. */
  createdAt: number
  createdBy: string | null
  expiresAt: number | null
  revokedAt: number | null
  /** Epoch milliseconds, accurate to ten minutes. */
  lastUsedAt: number | null
  /** Only in this response. Null when an idempotency key replays it. */
  token: string | null
}

export interface ApiKey {
  id: string
  name: string
  description: string
  /** The short id of the role. */
  role: string
  roleId: string
  /** The user on whose behalf requests with this key are made. */
  user: string
  /** The first characters of the token. */
  prefix: string
  /** The last characters of the token. */
  lastFour: string
  /** Epoch milliseconds. */
  createdAt: number
  createdBy: string | null
  expiresAt: number | null
  revokedAt: number | null
  /** Epoch milliseconds, accurate to ten minutes. */
  lastUsedAt: number | null
}
