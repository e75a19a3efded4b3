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
  /** The path of `webhookUrl`. */
  webhookPath: string
  /** The address to register with the provider. */
  webhookUrl: string
}

/** The request was answered, and may have meant something else. */
export interface Warning {
  /** What is warned of. Programs compare it. */
  code: 'undeclared_attribute'
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
  /** Only there while entries are still being found, in a job for all processes that match a query: `total` grows, and no entry is processed yet. */
  isCollecting?: true | undefined
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
  /** What became of the entry. */
  completionStatus: 'INVALID' | 'NOT_STARTED' | 'IN_PROGRESS' | 'SUCCESS' | 'ERROR' | 'CANCELLED'
  /** Why the entry failed; empty if it did not. */
  completionMessage: string
  /** The id of the process if the entry succeeded, otherwise the error of the corresponding single request. */
  completionResult: unknown
  /** The id of the team. */
  team: string
  /** The id of the job. */
  backgroundJob: string
  /** The id of the user who created the job. */
  createdBy: string
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
    /** The id of the API key or of the job. */
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
  /** The provider's id of the sending phone number. */
  whatsappPhoneNumberId: string
  /** The error of the provider, with advice; null without one. */
  error: {
    /** The provider's code of the error. */
    code: number
    [member: string]: unknown
  } | null
  /** The message that this one sends again; null if it is the first. */
  resendOf: string | null
  /** The message that sent this one again; null if none did. */
  resentAs: string | null
  /** All changes of the delivery status. */
  history: {
    [member: string]: unknown
  }[]
}

export interface ErasedCustomer {
  /** The id of the record. */
  id: string
  /** False while messages or processes are still to be erased. */
  isComplete: boolean
  /** Processes that were the customer’s, so far. */
  processes: number
  /** Messages that were erased, so far. */
  messages: number
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
    /** The id of the API key or of the job. */
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

export interface Caller {
  /** The team of the key. A request can only read and change what belongs to it. */
  team: {
    /** The id of the team. */
    id: string
    /** The short id of the team. */
    shortId: string
    /** The name of the team, for people. */
    name: string
  }
  /** The user on whose behalf requests with this key are made. */
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
  /** The API key of the request. */
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
  }
  /** The role of the key. */
  role: {
    /** The id of the role. */
    id: string
    /** The short id of the role. */
    shortId: string
    /** The name of the role, for people. */
    name: string
  }
  /** What the role of the key allows. */
  permissions: string[]
  /** What the key may send. */
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
