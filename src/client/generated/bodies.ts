// Generated from the OpenAPI document by `npm run client`. Do not edit.

/** An object from a root field (id, status, state, assignedTo, createdAt, updatedAt, nextActionAt), the customer (record, record.phone, record.email) or an attribute short id to a condition. All conditions must match. At most 8 nested queries and 64 conditions. */
export interface Query {
  and?: readonly Query[] | undefined
  or?: readonly Query[] | undefined
  [member: string]: Comparison | readonly Query[] | undefined
}

/** A value: equal to it. A list: equal to any of its values. `null`: not set. An object: all its operators must match. `!=` is the exact complement of `=`. `startsWith` and `contains` compare text. */
export type Comparison =
  | QueryValues
  | {
      '='?: QueryValues | undefined
      '!='?: QueryValues | undefined
      '>'?: QueryBound | undefined
      '>='?: QueryBound | undefined
      '<'?: QueryBound | undefined
      '<='?: QueryBound | undefined
      startsWith?: QueryText | undefined
      contains?: QueryText | undefined
    }

export type QueryValues = QueryValue | readonly QueryValue[]

export type QueryValue = string | number | boolean | null

/** A time may be ISO 8601. */
export type QueryBound = string | number

/** Text that A to Z matches in upper and lower case, or a list of which any may match. */
export type QueryText = string | readonly string[]

/** A time by its day, week (from Monday on) or month in a time zone. */
export interface DateGroup {
  field: string
  by: 'day' | 'week' | 'month'
  /** A time zone of the IANA database. The default is UTC. */
  timeZone?: string | undefined
}

/** One of the figures: `{"count": true}`, or one of a field, such as `{"sum": "score"}`. */
export interface Metric {
  count?: true | undefined
  sum?: string | undefined
  avg?: string | undefined
  min?: string | undefined
  max?: string | undefined
}

export interface GetHealthQuery {
  /** Examine each part. Needs a token with the permission `operate`. */
  deep?: 'true' | 'false' | undefined
}

export interface PutProcedureBody {
  name: string
  states: readonly {
    shortId: string
    /** The default is the short id. */
    name?: string | undefined
    /** The states that may follow. The default is any. */
    next?: readonly string[] | undefined
  }[]
  /** The state of a new process. */
  startState: string
  /** The state that `status: COMPLETED` moves to. */
  completedState: string
  attributes?:
    | readonly {
        shortId: string
        /** The default is the short id. */
        name?: string | undefined
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
        required?: boolean | undefined
        /** Makes filters and sorting by this attribute fast; of a multi… type, filters by its elements. At most 16 attributes of a procedure. Its texts have at most 1000 characters, its lists at most 100 values. */
        indexed?: boolean | undefined
        /** Whether `search` finds its words. At most 8 attributes of a procedure. */
        searchable?: boolean | undefined
        /** The allowed values of an enum type. */
        values?: readonly (string | number)[] | undefined
      }[]
    | undefined
  /** The attribute that identifies a process. Its values are unique. */
  primaryKey?: string | null | undefined
  /** The attribute whose phone number receives the messages. */
  phoneAttribute?: string | null | undefined
  /** Whether undeclared attributes are refused. */
  strict?: boolean | undefined
}

export interface ListProcessesBody {
  where?: Query | undefined
  /** Words that must all occur in the searchable attributes, in any order, each as a word or the start of one. At most 10 words. With it, `sort` takes `relevance`. */
  search?: string | undefined
  sort?:
    | readonly {
        field: string
        order?: 'asc' | 'desc' | undefined
      }[]
    | undefined
  skip?: number | undefined
  /** How many to return at most. Not with `all=true`. */
  limit?: number | undefined
  cursor?: string | null | undefined
  /** What to return of each process: fields such as `state`, short ids of attributes, `record.id`, `record.phone`, `record.email`, `record.data.<name>`. The default is everything; of CSV, the fields and the declared attributes. */
  fields?: readonly string[] | undefined
}

export interface ListProcessesQuery {
  /** As `cursor` in the body, and instead of `skip` there. The header `link` of a page has it. */
  cursor?: string | undefined
  /** Instead of the header `accept`. `excel` is CSV with a byte order mark, in which no text begins like a formula. */
  format?: 'json' | 'csv' | 'excel' | 'ndjson' | undefined
  /** `true`: all that match, as a stream, instead of one page. */
  all?: 'true' | 'false' | undefined
  /** Of NDJSON with `all=true`: also lines that are envelopes without data, which say in `_meta` whether there is more behind the processes before them, and the cursor from which the list goes on there. */
  checkpoints?: 'true' | 'false' | undefined
  /** Separated by commas. What to return of each process: fields such as `state`, short ids of attributes, `record.id`, `record.phone`, `record.email`, `record.data.<name>`. The default is everything; of CSV, the fields and the declared attributes. */
  fields?: string | undefined
}

export interface ListNewestProcessesQuery {
  /** How many to skip. */
  skip?: number | undefined
  /** How many to return at most. Not with `all=true`. */
  limit?: number | undefined
  /** `_meta.next` of the previous page. */
  cursor?: string | undefined
  /** OPEN, COMPLETED or CANCELLED. */
  status?: string | undefined
  /** The short id of a state. */
  state?: string | undefined
  /** A user's id, username or primary e-mail address. */
  assignedTo?: string | undefined
  /** Instead of the header `accept`. `excel` is CSV with a byte order mark, in which no text begins like a formula. */
  format?: 'json' | 'csv' | 'excel' | 'ndjson' | undefined
  /** `true`: all that match, as a stream, instead of one page. */
  all?: 'true' | 'false' | undefined
  /** Of NDJSON with `all=true`: also lines that are envelopes without data, which say in `_meta` whether there is more behind the processes before them, and the cursor from which the list goes on there. */
  checkpoints?: 'true' | 'false' | undefined
  /** Separated by commas. What to return of each process: fields such as `state`, short ids of attributes, `record.id`, `record.phone`, `record.email`, `record.data.<name>`. The default is everything; of CSV, the fields and the declared attributes. */
  fields?: string | undefined
}

export type BulkUpdateProcessesBody =
  | {
      /** Each item names a process by `id` (a UUID or a primary-key value) or by the primary key's short id. The fields to change are in `update` or next to the identifier. `isDeleted: true` deletes the process. */
      processes: readonly {
        id?: string | undefined
        update?:
          | {
              /** Values by attribute short id. `null` removes an attribute; attributes that are not sent keep their values. */
              data?:
                | {
                    [member: string]: unknown
                  }
                | undefined
              status?: 'CANCELLED' | 'COMPLETED' | 'OPEN' | undefined
              /** The short id of a state of the procedure. */
              state?: string | undefined
              nextActionAt?: number | string | null | undefined
              assignedTo?: string | null | undefined
              isDeleted?: boolean | undefined
            }
          | undefined
        [member: string]: unknown
      }[]
    }
  | {
      where: Query
      update: {
        /** Values by attribute short id. `null` removes an attribute; attributes that are not sent keep their values. */
        data?:
          | {
              [member: string]: unknown
            }
          | undefined
        status?: 'CANCELLED' | 'COMPLETED' | 'OPEN' | undefined
        /** The short id of a state of the procedure. */
        state?: string | undefined
        nextActionAt?: number | string | null | undefined
        assignedTo?: string | null | undefined
      }
      /** Must be true if the query matches every process, as `{}` does. Otherwise such a query is refused. */
      all?: boolean | undefined
      /** Must be true if the request names an attribute that the procedure does not declare. Otherwise it is refused, because such a name is often a mistyped one. A strict procedure refuses it in any case. */
      allowUndeclared?: boolean | undefined
    }

export interface CreateProcessBody {
  /** Values by attribute short id. `null` removes an attribute; attributes that are not sent keep their values. */
  data?:
    | {
        [member: string]: unknown
      }
    | undefined
  status?: 'CANCELLED' | 'COMPLETED' | 'OPEN' | undefined
  /** The short id of a state of the procedure. */
  state?: string | undefined
  nextActionAt?: number | string | null | undefined
  assignedTo?: string | null | undefined
  record?:
    | {
        /** Values by attribute short id. `null` removes an attribute; attributes that are not sent keep their values. */
        data: {
          [member: string]: unknown
        }
      }
    | null
    | undefined
}

export type CreateOrUpdateProcessBody = CreateProcessBody

export interface AggregateProcessesBody {
  where?: Query | undefined
  /** Root fields and attributes. Without it there is one group. */
  groupBy?: readonly (string | DateGroup)[] | undefined
  /** The default is the number of processes. */
  metrics?: readonly Metric[] | undefined
  /** How many groups to return at most: those with the most processes. */
  limit?: number | undefined
  cursor?: string | null | undefined
}

export interface CountProcessesQuery {
  /** OPEN, COMPLETED or CANCELLED. */
  status?: string | undefined
  /** The short id of a state. */
  state?: string | undefined
  /** A user's id, username or primary e-mail address. */
  assignedTo?: string | undefined
  /** A query as JSON, as `where` in the body of a search. */
  where?: string | undefined
  /** `_meta.next` of a response that is not complete. */
  cursor?: string | undefined
}

export type BulkCreateProcessesBody =
  | readonly {
      /** Values by attribute short id. `null` removes an attribute; attributes that are not sent keep their values. */
      data?:
        | {
            [member: string]: unknown
          }
        | undefined
      status?: 'CANCELLED' | 'COMPLETED' | 'OPEN' | undefined
      /** The short id of a state of the procedure. */
      state?: string | undefined
      nextActionAt?: number | string | null | undefined
      assignedTo?: string | null | undefined
      record?:
        | {
            /** Values by attribute short id. `null` removes an attribute; attributes that are not sent keep their values. */
            data: {
              [member: string]: unknown
            }
          }
        | null
        | undefined
      [member: string]: unknown
    }[]
  | {
      processes: readonly {
        /** Values by attribute short id. `null` removes an attribute; attributes that are not sent keep their values. */
        data?:
          | {
              [member: string]: unknown
            }
          | undefined
        status?: 'CANCELLED' | 'COMPLETED' | 'OPEN' | undefined
        /** The short id of a state of the procedure. */
        state?: string | undefined
        nextActionAt?: number | string | null | undefined
        assignedTo?: string | null | undefined
        record?:
          | {
              /** Values by attribute short id. `null` removes an attribute; attributes that are not sent keep their values. */
              data: {
                [member: string]: unknown
              }
            }
          | null
          | undefined
        [member: string]: unknown
      }[]
    }

export interface ScheduleJobBody {
  entries: readonly {
    apiType: 'PROCESS_UPDATE' | 'PROCESS_CREATE' | 'PROCESS_DELETE' | 'TEMPLATE_MESSAGE'
    apiData: {
      [member: string]: unknown
    }
  }[]
  /** When the job starts, in epoch milliseconds. The default is now. */
  startAt?: number | undefined
}

export interface ListJobsQuery {
  completionStatus?: 'NOT_STARTED' | 'IN_PROGRESS' | 'SUCCESS' | 'ERROR' | 'CANCELLED' | undefined
  limit?: number | undefined
  skip?: number | undefined
  cursor?: string | undefined
}

export type BulkSendTemplateMessageBody =
  | {
      whatsappPhoneNumberId: string
      templateName: string
      mapping?:
        | readonly {
            schemaPropertyName: string
            schemaPropertyValue?: string | undefined
            attribute?: string | undefined
          }[]
        | undefined
      headerMapping?:
        | readonly {
            schemaPropertyName: string
            schemaPropertyValue?: string | undefined
            attribute?: string | undefined
          }[]
        | undefined
      buttonMapping?:
        | readonly {
            schemaPropertyName: string
            schemaPropertyValue?: string | undefined
            attribute?: string | undefined
          }[]
        | undefined
      language?: string | undefined
      imageUrl?: string | undefined
      videoUrl?: string | undefined
      documentUrl?: string | undefined
      filename?: string | undefined
      otpCode?: string | undefined
      locationLatitude?: number | string | undefined
      locationLongitude?: number | string | undefined
      locationName?: string | undefined
      locationAddress?: string | undefined
      /** Each item names a process by `id` or by the primary key's short id. Its own `mapping`, media and other fields replace the shared ones. */
      processes: readonly {
        id?: string | undefined
        [member: string]: unknown
      }[]
    }
  | {
      whatsappPhoneNumberId: string
      templateName: string
      mapping?:
        | readonly {
            schemaPropertyName: string
            schemaPropertyValue?: string | undefined
            attribute?: string | undefined
          }[]
        | undefined
      headerMapping?:
        | readonly {
            schemaPropertyName: string
            schemaPropertyValue?: string | undefined
            attribute?: string | undefined
          }[]
        | undefined
      buttonMapping?:
        | readonly {
            schemaPropertyName: string
            schemaPropertyValue?: string | undefined
            attribute?: string | undefined
          }[]
        | undefined
      language?: string | undefined
      imageUrl?: string | undefined
      videoUrl?: string | undefined
      documentUrl?: string | undefined
      filename?: string | undefined
      otpCode?: string | undefined
      locationLatitude?: number | string | undefined
      locationLongitude?: number | string | undefined
      locationName?: string | undefined
      locationAddress?: string | undefined
      where: Query
      /** Must be true if the query matches every process, as `{}` does. Otherwise such a query is refused. */
      all?: boolean | undefined
      /** Must be true if the request names an attribute that the procedure does not declare. Otherwise it is refused, because such a name is often a mistyped one. A strict procedure refuses it in any case. */
      allowUndeclared?: boolean | undefined
    }

export interface ListJobEntriesQuery {
  completionStatus?: 'INVALID' | 'NOT_STARTED' | 'IN_PROGRESS' | 'SUCCESS' | 'ERROR' | 'CANCELLED' | undefined
  limit?: number | undefined
  skip?: number | undefined
}

export interface GetJobResultsQuery {
  completionStatus?: 'INVALID' | 'NOT_STARTED' | 'IN_PROGRESS' | 'SUCCESS' | 'ERROR' | 'CANCELLED' | undefined
}

export interface UpdateProcessByIdBody {
  /** Values by attribute short id. `null` removes an attribute; attributes that are not sent keep their values. */
  data?:
    | {
        [member: string]: unknown
      }
    | undefined
  status?: 'CANCELLED' | 'COMPLETED' | 'OPEN' | undefined
  /** The short id of a state of the procedure. */
  state?: string | undefined
  nextActionAt?: number | string | null | undefined
  assignedTo?: string | null | undefined
}

export type UpdateProcessByPrimaryKeyBody = UpdateProcessByIdBody

export interface FindRecordQuery {
  /** A phone number with its country code, in any form. */
  phone?: string | undefined
  email?: string | undefined
}

export interface UpdateRecordBody {
  /** Values by name. `null` removes an attribute; attributes that are not sent keep their values. */
  data: {
    [member: string]: unknown
  }
}

export interface ListProcessesOfRecordQuery {
  /** `_meta.next` of the previous page. */
  cursor?: string | undefined
  /** How many to return at most. */
  limit?: number | undefined
}

export type ListMessagesOfRecordQuery = ListProcessesOfRecordQuery

export interface CreatePluginBody {
  name: string
  businessAccountId: string
  accessToken: string
  appSecret: string
  verifyToken: string
  phoneNumbers: readonly {
    id: string
    displayNumber: string
    /** How many messages a second the provider allows this number. Jobs use 97 % of it. Set it if the provider has raised the limit of the number. */
    messagesPerSecond?: number | undefined
  }[]
  graphVersion?: string | undefined
  /** The language of a template that exists in several, where a request names none. */
  defaultLanguage?: string | null | undefined
}

export interface UpdatePluginBody {
  name?: string | undefined
  businessAccountId?: string | undefined
  accessToken?: string | undefined
  appSecret?: string | undefined
  verifyToken?: string | undefined
  phoneNumbers?:
    | readonly {
        id: string
        displayNumber: string
        /** How many messages a second the provider allows this number. Jobs use 97 % of it. Set it if the provider has raised the limit of the number. */
        messagesPerSecond?: number | undefined
      }[]
    | undefined
  graphVersion?: string | undefined
  /** The language of a template that exists in several, where a request names none. */
  defaultLanguage?: string | null | undefined
  status?: 'ACTIVE' | undefined
}

export interface SendTemplateMessageToPhoneOfProcessPathBody {
  whatsappPhoneNumberId: string
  templateName: string
  mapping?:
    | readonly {
        schemaPropertyName: string
        schemaPropertyValue: string
      }[]
    | undefined
  headerMapping?:
    | readonly {
        schemaPropertyName: string
        schemaPropertyValue: string
      }[]
    | undefined
  buttonMapping?:
    | readonly {
        schemaPropertyName: string
        schemaPropertyValue: string
      }[]
    | undefined
  language?: string | undefined
  imageUrl?: string | undefined
  videoUrl?: string | undefined
  documentUrl?: string | undefined
  filename?: string | undefined
  otpCode?: string | undefined
  locationLatitude?: number | string | undefined
  locationLongitude?: number | string | undefined
  locationName?: string | undefined
  locationAddress?: string | undefined
}

export type SendTemplateMessageToPhoneBody = SendTemplateMessageToPhoneOfProcessPathBody

export type SendTemplateMessageForProcessIdBody = SendTemplateMessageToPhoneOfProcessPathBody

export type SendTemplateMessageForProcessBody = SendTemplateMessageToPhoneOfProcessPathBody

export interface SendProviderMessageBody {
  messaging_product: 'whatsapp'
  to: string
  type?: string | undefined
  [member: string]: unknown
}

export interface ListMessagesQuery {
  process?: string | undefined
  phoneNumber?: string | undefined
  backgroundJob?: string | undefined
  /** `_meta.next` of the page before. */
  cursor?: string | undefined
  /** How many to skip. */
  skip?: number | undefined
  /** How many to return at most. */
  limit?: number | undefined
}

export interface ListOptOutsQuery {
  /** `_meta.next` of the page before. */
  cursor?: string | undefined
  /** How many to return at most. */
  limit?: number | undefined
}

export interface VerifyWebhookQuery {
  'hub.mode'?: string | undefined
  'hub.verify_token'?: string | undefined
  'hub.challenge'?: string | undefined
}

export interface ReceiveWebhookBody {
  object: string
  entry: readonly {
    [member: string]: unknown
  }[]
  [member: string]: unknown
}

export interface ListUsersQuery {
  /** How many to skip. */
  skip?: number | undefined
  /** How many to return at most. The default is all. */
  limit?: number | undefined
}

export interface UpdateUserBody {
  firstName?: string | undefined
  lastName?: string | undefined
}

export type ListUsersV2Query = ListUsersQuery

export interface CreateUserBody {
  username: string
  email?: string | undefined
  firstName?: string | undefined
  lastName?: string | undefined
  /** The default follows the first and last name. */
  displayName?: string | undefined
  role: 'admin' | 'manager' | 'agent' | 'viewer'
  timezone?: string | undefined
  /** A user's id, username or e-mail address. */
  manager?: string | undefined
}

export interface CreateApiKeyBody {
  name: string
  description?: string | undefined
  role: 'admin' | 'manager' | 'agent' | 'viewer'
  /** A user's id, username or e-mail address. The default is the caller's user. */
  user?: string | undefined
  /** Epoch milliseconds; null means never. */
  expiresAt?: number | null | undefined
}

export interface RotateApiKeyBody {
  /** How long the old token continues to work. */
  overlapSeconds?: number | undefined
}
