// Generated from the OpenAPI document by `npm run client`. Do not edit.

/** An object from a root field (id, status, state, assignedTo, createdAt, updatedAt, nextActionAt), the customer (record, record.phone, record.email) or an attribute short id to a condition. All conditions must match. At most 8 nested queries and 64 conditions. */
export interface Query {
  /** All of these queries must match. */
  and?: readonly Query[] | undefined
  /** At least one of these queries must match. */
  or?: readonly Query[] | undefined
  [member: string]: Comparison | readonly Query[] | undefined
}

/** A value: equal to it. A list: equal to any of its values. `null`: not set. An object: all its operators must match. `!=` is the exact complement of `=`. `startsWith` and `contains` compare text. */
export type Comparison =
  | QueryValues
  | {
      /** Equal to it, or to any of a list. */
      '='?: QueryValues | undefined
      /** The exact complement of `=`. */
      '!='?: QueryValues | undefined
      /** Greater than it. */
      '>'?: QueryBound | undefined
      /** Greater than it or equal to it. */
      '>='?: QueryBound | undefined
      /** Less than it. */
      '<'?: QueryBound | undefined
      /** Less than it or equal to it. */
      '<='?: QueryBound | undefined
      /** Text that begins with it, or with any of a list. */
      startsWith?: QueryText | undefined
      /** Text that has it anywhere, or any of a list. */
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
  /** A root field or an attribute that holds times. */
  field: string
  /** The unit of the groups. */
  by: 'day' | 'week' | 'month'
  /** A time zone of the IANA database. The default is UTC. */
  timeZone?: string | undefined
}

/** One of the figures: `{"count": true}`, or one of a field, such as `{"sum": "score"}`. */
export interface Metric {
  /** The number of processes. */
  count?: true | undefined
  /** The sum of this field. */
  sum?: string | undefined
  /** The average of this field. */
  avg?: string | undefined
  /** The least value of this field. */
  min?: string | undefined
  /** The greatest value of this field. */
  max?: string | undefined
}

export interface GetHealthQuery {
  /** Examine each part. Needs a token with the permission `operate`. */
  deep?: 'true' | 'false' | undefined
}

export interface PutProcedureBody {
  /** The name of the procedure, for people. */
  name: string
  /** The states that a process can be in. */
  states: readonly {
    /** The name of the state in the API, unique in the procedure. */
    shortId: string
    /** The name of the state for people. The default is the short id. */
    name?: string | undefined
    /** The states that may follow. The default is any. */
    next?: readonly string[] | undefined
  }[]
  /** The state of a new process. */
  startState: string
  /** The state that `status: COMPLETED` moves to. The state alone completes nothing. */
  completedState: string
  /** The attributes that `data` of a process is expected to have. */
  attributes?:
    | readonly {
        /** The name of the attribute in the API, unique in the procedure. */
        shortId: string
        /** The name of the attribute for people. The default is the short id. */
        name?: string | undefined
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
  /** The order of the processes. The default is newest first. */
  sort?:
    | readonly {
        /** A root field or the short id of an attribute. */
        field: string
        /** Ascending or descending. */
        order?: 'asc' | 'desc' | undefined
      }[]
    | undefined
  /** How many to skip. Not together with `cursor`. */
  skip?: number | undefined
  /** How many to return at most. Not with `all=true`. */
  limit?: number | undefined
  /** `_meta.next` of the previous page. */
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
        /** The id of the process, or the value of its primary key. */
        id?: string | undefined
        /** The fields to change. */
        update?:
          | {
              /** Values by attribute short id. `null` removes an attribute; attributes that are not sent keep their values. */
              data?:
                | {
                    [member: string]: unknown
                  }
                | undefined
              /** OPEN, COMPLETED or CANCELLED. COMPLETED alone also moves the process to the completed state of its procedure. */
              status?: 'CANCELLED' | 'COMPLETED' | 'OPEN' | undefined
              /** The short id of a state of the procedure. */
              state?: string | undefined
              /** When something is to be done next: epoch milliseconds, as a number or as its digits, or ISO 8601 with an offset. `null` removes it. */
              nextActionAt?: number | string | null | undefined
              /** The assignee: a user's id, username or primary e-mail address. `null` removes it. */
              assignedTo?: string | null | undefined
              /** `true` deletes the process. */
              isDeleted?: boolean | undefined
            }
          | undefined
        [member: string]: unknown
      }[]
    }
  | {
      where: Query
      /** The fields to change. */
      update: {
        /** Values by attribute short id. `null` removes an attribute; attributes that are not sent keep their values. */
        data?:
          | {
              [member: string]: unknown
            }
          | undefined
        /** OPEN, COMPLETED or CANCELLED. COMPLETED alone also moves the process to the completed state of its procedure. */
        status?: 'CANCELLED' | 'COMPLETED' | 'OPEN' | undefined
        /** The short id of a state of the procedure. */
        state?: string | undefined
        /** When something is to be done next: epoch milliseconds, as a number or as its digits, or ISO 8601 with an offset. `null` removes it. */
        nextActionAt?: number | string | null | undefined
        /** The assignee: a user's id, username or primary e-mail address. `null` removes it. */
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
  /** OPEN, COMPLETED or CANCELLED. COMPLETED alone also moves the process to the completed state of its procedure. */
  status?: 'CANCELLED' | 'COMPLETED' | 'OPEN' | undefined
  /** The short id of a state of the procedure. */
  state?: string | undefined
  /** When something is to be done next: epoch milliseconds, as a number or as its digits, or ISO 8601 with an offset. `null` removes it. */
  nextActionAt?: number | string | null | undefined
  /** The assignee: a user's id, username or primary e-mail address. `null` removes it. */
  assignedTo?: string | null | undefined
  /** The customer that the process is for. */
  record?:
    | {
        /** Attributes of the customer. A phone number (`phone`, `phone_number`, `phoneNumber`, `mobile`) or an e-mail address (`email`, `email_address`, `emailAddress`) identifies a customer who exists. */
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
  /** `_meta.next` of a response that is not complete. */
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
      /** OPEN, COMPLETED or CANCELLED. COMPLETED alone also moves the process to the completed state of its procedure. */
      status?: 'CANCELLED' | 'COMPLETED' | 'OPEN' | undefined
      /** The short id of a state of the procedure. */
      state?: string | undefined
      /** When something is to be done next: epoch milliseconds, as a number or as its digits, or ISO 8601 with an offset. `null` removes it. */
      nextActionAt?: number | string | null | undefined
      /** The assignee: a user's id, username or primary e-mail address. `null` removes it. */
      assignedTo?: string | null | undefined
      /** The customer that the process is for. */
      record?:
        | {
            /** Attributes of the customer. A phone number (`phone`, `phone_number`, `phoneNumber`, `mobile`) or an e-mail address (`email`, `email_address`, `emailAddress`) identifies a customer who exists. */
            data: {
              [member: string]: unknown
            }
          }
        | null
        | undefined
      [member: string]: unknown
    }[]
  | {
      /** The processes to create. */
      processes: readonly {
        /** Values by attribute short id. `null` removes an attribute; attributes that are not sent keep their values. */
        data?:
          | {
              [member: string]: unknown
            }
          | undefined
        /** OPEN, COMPLETED or CANCELLED. COMPLETED alone also moves the process to the completed state of its procedure. */
        status?: 'CANCELLED' | 'COMPLETED' | 'OPEN' | undefined
        /** The short id of a state of the procedure. */
        state?: string | undefined
        /** When something is to be done next: epoch milliseconds, as a number or as its digits, or ISO 8601 with an offset. `null` removes it. */
        nextActionAt?: number | string | null | undefined
        /** The assignee: a user's id, username or primary e-mail address. `null` removes it. */
        assignedTo?: string | null | undefined
        /** The customer that the process is for. */
        record?:
          | {
              /** Attributes of the customer. A phone number (`phone`, `phone_number`, `phoneNumber`, `mobile`) or an e-mail address (`email`, `email_address`, `emailAddress`) identifies a customer who exists. */
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
  /** They are processed in this order. */
  entries: readonly {
    /** What the entry does. */
    apiType: 'PROCESS_UPDATE' | 'PROCESS_CREATE' | 'PROCESS_DELETE' | 'TEMPLATE_MESSAGE'
    /** The process, and what is changed or sent; see [bulk jobs](/docs/bulk). */
    apiData: {
      [member: string]: unknown
    }
  }[]
  /** When the job starts: epoch milliseconds, as a number or as its digits, or ISO 8601 with an offset. The default is now. */
  startAt?: number | string | null | undefined
}

export interface ListJobsQuery {
  /** Only jobs with this status. */
  completionStatus?: 'NOT_STARTED' | 'IN_PROGRESS' | 'SUCCESS' | 'ERROR' | 'CANCELLED' | undefined
  /** How many to return at most. */
  limit?: number | undefined
  /** How many to skip. */
  skip?: number | undefined
  /** Where the page starts. `_meta.next` of the previous page is an address that has it. */
  cursor?: string | undefined
}

export type BulkSendTemplateMessageBody =
  | {
      /** The provider's id of the sending phone number, as the plugin lists it. */
      whatsappPhoneNumberId: string
      /** The name of an approved template. */
      templateName: string
      /** The values of the placeholders in the body of the template. */
      mapping?:
        | readonly {
            /** The placeholder: its number, or its name. */
            schemaPropertyName: string
            /** The text that replaces the placeholder. */
            schemaPropertyValue?: string | undefined
            /** Instead of a value: the attribute of the process that has it. */
            attribute?: string | undefined
          }[]
        | undefined
      /** The values of the placeholders in the header. */
      headerMapping?:
        | readonly {
            /** The placeholder: its number, or its name. */
            schemaPropertyName: string
            /** The text that replaces the placeholder. */
            schemaPropertyValue?: string | undefined
            /** Instead of a value: the attribute of the process that has it. */
            attribute?: string | undefined
          }[]
        | undefined
      /** The values of the placeholders in the addresses of buttons. */
      buttonMapping?:
        | readonly {
            /** The placeholder: its number, or its name. */
            schemaPropertyName: string
            /** The text that replaces the placeholder. */
            schemaPropertyValue?: string | undefined
            /** Instead of a value: the attribute of the process that has it. */
            attribute?: string | undefined
          }[]
        | undefined
      /** The language of the template. It may be left out if the template exists in one language, or the plugin has a default. */
      language?: string | undefined
      /** The image of the header, if the template has one. */
      imageUrl?: string | undefined
      /** The video of the header, if the template has one. */
      videoUrl?: string | undefined
      /** The document of the header, if the template has one. */
      documentUrl?: string | undefined
      /** The name of the document, as the customer sees it. */
      filename?: string | undefined
      /** The one-time code of an authentication template. */
      otpCode?: string | undefined
      /** The location of the header, if the template has one. */
      locationLatitude?: number | string | undefined
      /** The location of the header, if the template has one. */
      locationLongitude?: number | string | undefined
      /** The name of the place. */
      locationName?: string | undefined
      /** The address of the place. */
      locationAddress?: string | undefined
      /** Each item names a process by `id` or by the primary key's short id. Its own `mapping`, media and other fields replace the shared ones. */
      processes: readonly {
        /** The id of the process, or the value of its primary key. */
        id?: string | undefined
        [member: string]: unknown
      }[]
    }
  | {
      /** The provider's id of the sending phone number, as the plugin lists it. */
      whatsappPhoneNumberId: string
      /** The name of an approved template. */
      templateName: string
      /** The values of the placeholders in the body of the template. */
      mapping?:
        | readonly {
            /** The placeholder: its number, or its name. */
            schemaPropertyName: string
            /** The text that replaces the placeholder. */
            schemaPropertyValue?: string | undefined
            /** Instead of a value: the attribute of the process that has it. */
            attribute?: string | undefined
          }[]
        | undefined
      /** The values of the placeholders in the header. */
      headerMapping?:
        | readonly {
            /** The placeholder: its number, or its name. */
            schemaPropertyName: string
            /** The text that replaces the placeholder. */
            schemaPropertyValue?: string | undefined
            /** Instead of a value: the attribute of the process that has it. */
            attribute?: string | undefined
          }[]
        | undefined
      /** The values of the placeholders in the addresses of buttons. */
      buttonMapping?:
        | readonly {
            /** The placeholder: its number, or its name. */
            schemaPropertyName: string
            /** The text that replaces the placeholder. */
            schemaPropertyValue?: string | undefined
            /** Instead of a value: the attribute of the process that has it. */
            attribute?: string | undefined
          }[]
        | undefined
      /** The language of the template. It may be left out if the template exists in one language, or the plugin has a default. */
      language?: string | undefined
      /** The image of the header, if the template has one. */
      imageUrl?: string | undefined
      /** The video of the header, if the template has one. */
      videoUrl?: string | undefined
      /** The document of the header, if the template has one. */
      documentUrl?: string | undefined
      /** The name of the document, as the customer sees it. */
      filename?: string | undefined
      /** The one-time code of an authentication template. */
      otpCode?: string | undefined
      /** The location of the header, if the template has one. */
      locationLatitude?: number | string | undefined
      /** The location of the header, if the template has one. */
      locationLongitude?: number | string | undefined
      /** The name of the place. */
      locationName?: string | undefined
      /** The address of the place. */
      locationAddress?: string | undefined
      where: Query
      /** Must be true if the query matches every process, as `{}` does. Otherwise such a query is refused. */
      all?: boolean | undefined
      /** Must be true if the request names an attribute that the procedure does not declare. Otherwise it is refused, because such a name is often a mistyped one. A strict procedure refuses it in any case. */
      allowUndeclared?: boolean | undefined
    }

export interface ListJobEntriesQuery {
  /** Only entries with this status. */
  completionStatus?: 'INVALID' | 'NOT_STARTED' | 'IN_PROGRESS' | 'SUCCESS' | 'ERROR' | 'CANCELLED' | undefined
  /** How many to return at most. */
  limit?: number | undefined
  /** How many to skip. */
  skip?: number | undefined
}

export interface GetJobResultsQuery {
  /** Only entries with this status. */
  completionStatus?: 'INVALID' | 'NOT_STARTED' | 'IN_PROGRESS' | 'SUCCESS' | 'ERROR' | 'CANCELLED' | undefined
}

export interface UpdateProcessByIdBody {
  /** Values by attribute short id. `null` removes an attribute; attributes that are not sent keep their values. */
  data?:
    | {
        [member: string]: unknown
      }
    | undefined
  /** OPEN, COMPLETED or CANCELLED. COMPLETED alone also moves the process to the completed state of its procedure. */
  status?: 'CANCELLED' | 'COMPLETED' | 'OPEN' | undefined
  /** The short id of a state of the procedure. */
  state?: string | undefined
  /** When something is to be done next: epoch milliseconds, as a number or as its digits, or ISO 8601 with an offset. `null` removes it. */
  nextActionAt?: number | string | null | undefined
  /** The assignee: a user's id, username or primary e-mail address. `null` removes it. */
  assignedTo?: string | null | undefined
}

export type UpdateProcessByPrimaryKeyBody = UpdateProcessByIdBody

export interface FindRecordQuery {
  /** A phone number with its country code, in any form. */
  phone?: string | undefined
  /** An e-mail address, in upper or lower case. */
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
  /** The name of the plugin, for people. */
  name: string
  /** The id of the WhatsApp business account. */
  businessAccountId: string
  /** The access token of the provider's app. It is stored encrypted and never returned. */
  accessToken: string
  /** The secret of the provider's app, which signs its webhooks. Stored encrypted, never returned. */
  appSecret: string
  /** A text of your own. Register the webhook with the same text at the provider. */
  verifyToken: string
  /** The phone numbers of the account that may send. */
  phoneNumbers: readonly {
    /** The provider's id of the phone number. */
    id: string
    /** The phone number as people write it. */
    displayNumber: string
    /** How many messages a second the provider allows this number. Jobs use 97 % of it. Set it if the provider has raised the limit of the number. */
    messagesPerSecond?: number | undefined
  }[]
  /** The version of the provider's API. */
  graphVersion?: string | undefined
  /** The language of a template that exists in several, where a request names none. */
  defaultLanguage?: string | null | undefined
}

export interface UpdatePluginBody {
  /** The name of the plugin, for people. */
  name?: string | undefined
  /** The id of the WhatsApp business account. */
  businessAccountId?: string | undefined
  /** The access token of the provider's app. It is stored encrypted and never returned. */
  accessToken?: string | undefined
  /** The secret of the provider's app, which signs its webhooks. Stored encrypted, never returned. */
  appSecret?: string | undefined
  /** A text of your own. Register the webhook with the same text at the provider. */
  verifyToken?: string | undefined
  /** The phone numbers of the account that may send. */
  phoneNumbers?:
    | readonly {
        /** The provider's id of the phone number. */
        id: string
        /** The phone number as people write it. */
        displayNumber: string
        /** How many messages a second the provider allows this number. Jobs use 97 % of it. Set it if the provider has raised the limit of the number. */
        messagesPerSecond?: number | undefined
      }[]
    | undefined
  /** The version of the provider's API. */
  graphVersion?: string | undefined
  /** The language of a template that exists in several, where a request names none. */
  defaultLanguage?: string | null | undefined
  /** Lets a stopped plugin send again. */
  status?: 'ACTIVE' | undefined
}

export interface SendTemplateMessageToPhoneOfProcessPathBody {
  /** The provider's id of the sending phone number, as the plugin lists it. */
  whatsappPhoneNumberId: string
  /** The name of an approved template. */
  templateName: string
  /** The values of the placeholders in the body of the template. */
  mapping?:
    | readonly {
        /** The placeholder: its number, or its name. */
        schemaPropertyName: string
        /** The text that replaces the placeholder. */
        schemaPropertyValue: string
      }[]
    | undefined
  /** The values of the placeholders in the header. */
  headerMapping?:
    | readonly {
        /** The placeholder: its number, or its name. */
        schemaPropertyName: string
        /** The text that replaces the placeholder. */
        schemaPropertyValue: string
      }[]
    | undefined
  /** The values of the placeholders in the addresses of buttons. */
  buttonMapping?:
    | readonly {
        /** The placeholder: its number, or its name. */
        schemaPropertyName: string
        /** The text that replaces the placeholder. */
        schemaPropertyValue: string
      }[]
    | undefined
  /** The language of the template. It may be left out if the template exists in one language, or the plugin has a default. */
  language?: string | undefined
  /** The image of the header, if the template has one. */
  imageUrl?: string | undefined
  /** The video of the header, if the template has one. */
  videoUrl?: string | undefined
  /** The document of the header, if the template has one. */
  documentUrl?: string | undefined
  /** The name of the document, as the customer sees it. */
  filename?: string | undefined
  /** The one-time code of an authentication template. */
  otpCode?: string | undefined
  /** The location of the header, if the template has one. */
  locationLatitude?: number | string | undefined
  /** The location of the header, if the template has one. */
  locationLongitude?: number | string | undefined
  /** The name of the place. */
  locationName?: string | undefined
  /** The address of the place. */
  locationAddress?: string | undefined
}

export type SendTemplateMessageToPhoneBody = SendTemplateMessageToPhoneOfProcessPathBody

export type SendTemplateMessageForProcessIdBody = SendTemplateMessageToPhoneOfProcessPathBody

export type SendTemplateMessageForProcessBody = SendTemplateMessageToPhoneOfProcessPathBody

export interface SendProviderMessageBody {
  /** Always `whatsapp`. */
  messaging_product: 'whatsapp'
  /** The phone number with its country code. */
  to: string
  /** The provider's type of message. A field of the same name has the content. */
  type?: string | undefined
  [member: string]: unknown
}

export interface ListMessagesQuery {
  /** The id of a process. */
  process?: string | undefined
  /** A phone number with its country code, digits only. */
  phoneNumber?: string | undefined
  /** The id of a job that sent messages. */
  backgroundJob?: string | undefined
  /** `_meta.next` of the previous page. */
  cursor?: string | undefined
  /** How many to skip. */
  skip?: number | undefined
  /** How many to return at most. */
  limit?: number | undefined
}

export type ListOptOutsQuery = ListProcessesOfRecordQuery

export interface VerifyWebhookQuery {
  /** Always `subscribe`. */
  'hub.mode'?: string | undefined
  /** The `verifyToken` of the plugin. */
  'hub.verify_token'?: string | undefined
  /** A text that the response repeats. */
  'hub.challenge'?: string | undefined
}

export interface ReceiveWebhookBody {
  /** The kind of webhook. */
  object: string
  /** The changes, in the provider's format. */
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
  /** The new first name. */
  firstName?: string | undefined
  /** The new last name. */
  lastName?: string | undefined
}

export type ListUsersV2Query = ListUsersQuery

export interface CreateUserBody {
  /** A name without spaces, unique in the team. It may be the e-mail address of the same user. */
  username: string
  /** The primary e-mail address, unique in the team. */
  email?: string | undefined
  /** The first name. */
  firstName?: string | undefined
  /** The last name. */
  lastName?: string | undefined
  /** The name that people see. The default is the first and last name. */
  displayName?: string | undefined
  /** The role: what the user may do. */
  role: 'admin' | 'manager' | 'agent' | 'viewer'
  /** The UTC offset in which version 2 shows the times of this user. */
  timezone?: string | undefined
  /** The manager: a user's id, username or e-mail address. */
  manager?: string | undefined
}

export interface CreateApiKeyBody {
  /** What the key is for. */
  name: string
  /** More about the key, for people. */
  description?: string | undefined
  /** The role of the key: what requests with it may do. */
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
