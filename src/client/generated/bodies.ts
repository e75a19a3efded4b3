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
      /** Text that has it anywhere, or any of a list. All texts of a query that are looked for so have at most 1000 characters together. */
      contains?: QueryText | undefined
    }

export type QueryValues = QueryValue | readonly QueryValue[]

export type QueryValue = string | number | boolean | RelativeTime | null

/** A time or a day that is relative to the request: `now` for times, `today` for days and, in a range, for the beginning of a day. */
export type RelativeTime =
  | {
      /** An ISO 8601 duration from the time of the request on: `-P7D` is seven days ago. */
      now: string
      /** A time zone of the IANA database. The default is UTC. */
      timeZone?: string | undefined
    }
  | {
      /** Years, months, weeks and days from today on, as an ISO 8601 duration: `P0D` is today. */
      today: string
      /** A time zone of the IANA database. The default is UTC. */
      timeZone?: string | undefined
    }

/** A time may be ISO 8601. */
export type QueryBound = string | number | RelativeTime

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

/** `credential.toJSON()` of what `navigator.credentials.get` returns. */
export interface PasskeyAssertion {
  /** The id of the credential. */
  id: string
  /** The same. */
  rawId: string
  /** The only type. */
  type: 'public-key'
  /** The answer of the authenticator. */
  response: {
    /** What the browser says that was signed. */
    clientDataJSON: string
    /** What the authenticator says. */
    authenticatorData: string
    /** The signature of both. */
    signature: string
    /** Whose credential it is. */
    userHandle?: string | null | undefined
    [member: string]: unknown
  }
  [member: string]: unknown
}

/** `credential.toJSON()` of what `navigator.credentials.create` returns. */
export interface PasskeyAttestation {
  /** The id of the credential. */
  id: string
  /** The same. */
  rawId: string
  /** The only type. */
  type: 'public-key'
  /** The answer of the authenticator. */
  response: {
    /** What the browser says that was made. */
    clientDataJSON: string
    /** The public key. */
    attestationObject: string
    /** How the authenticator is reached. */
    transports?: readonly string[] | undefined
    [member: string]: unknown
  }
  [member: string]: unknown
}

export interface GetHealthQuery {
  /** Examine each part. Needs the token of the operator, `OPERATOR_TOKEN`. */
  deep?: 'true' | 'false' | undefined
}

export interface PutProcedureBody {
  /** The address of a JSON schema, for editors. It is not kept. */
  $schema?: string | undefined
  /** The name of the procedure, for people. */
  name: string
  /** The states that a process can be in. */
  states: readonly {
    /** The name of the state in the API, unique in the procedure: 1 to 200 characters, of which none is a control character. Case and spaces count. */
    shortId: string
    /** The name of the state for people. The default is the short id. */
    name?: string | undefined
    /** The states that may follow. The default is any. */
    next?: readonly string[] | undefined
    /** The status of a process that comes into this state, unless the request gives another. Leaving for a state without one opens the process again. By default a state changes no status. */
    status?: 'COMPLETED' | 'CANCELLED' | undefined
    /** Whether a process can be created in this state. The default is true. */
    startsHere?: boolean | undefined
  }[]
  /** The state of a new process. */
  startState: string
  /** The state that `status: COMPLETED` moves to. Where states say `status: COMPLETED`, it is one of them: then the state alone completes the process, too. */
  completedState: string
  /** The attributes that `data` of a process is expected to have. */
  attributes?:
    | readonly {
        /** The name of the attribute in the API, unique in the procedure: 1 to 200 characters, of which none is a control character. Case and spaces count. */
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
        /** Whether `search` finds its words; it finds those of the primary key in any case. At most 8 attributes of a procedure. */
        searchable?: boolean | undefined
        /** Whether its values are about the customer of the process, as a name or an address is. An [erasure of the customer everywhere](/docs/customers#erasing-a-person-everywhere) empties it, also where it is required or the primary key. */
        personal?: boolean | undefined
        /** The allowed values of an enum type. */
        values?: readonly (string | number)[] | undefined
        /** Only read: what is sent is not looked at, because it changes by itself. */
        searchReady?: boolean | undefined
        /** Only read: what is sent is not looked at, because it changes by itself. */
        indexReady?: boolean | undefined
      }[]
    | undefined
  /** The attribute that identifies a process. Its values are unique. */
  primaryKey?: string | null | undefined
  /** The attribute whose phone number receives the messages, and says [whose customer](/docs/customers#the-customer-of-a-process) a new process is. */
  phoneAttribute?: string | null | undefined
  /** Whether undeclared attributes are refused. */
  strict?: boolean | undefined
  /** Only read: taken as it was read, and refused where it is another. */
  id?: string | undefined
  /** Only read: taken as it was read, and refused where it is another. */
  shortId?: string | undefined
  /** Only read: taken as it was read, and refused where it is another. */
  createdAt?: number | undefined
  /** Only read: taken as it was read, and refused where it is another. */
  updatedAt?: number | undefined
}

export interface PutProcedureQuery {
  /** Change nothing, and respond with what the request would do. */
  dryRun?: 'true' | 'false' | undefined
}

export interface ListProcessesBody {
  where?: Query | undefined
  /** Words that must all occur in the primary key or the searchable attributes, in any order, each as a word or the start of one. At most 10 words. Where no attribute is searchable, the beginning of the primary key. With it, `sort` takes `relevance`. */
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
  /** What to return of each process: fields such as `state`, short ids of attributes, `record.id`, `record.phone`, `record.email`, `record.data.<name>`. The default is everything; of CSV, the fields and the declared attributes. With it, the schema of the response is that in `x-other-content`: a process has only what is named. */
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
  /** Separated by commas. What to return of each process: fields such as `state`, short ids of attributes, `record.id`, `record.phone`, `record.email`, `record.data.<name>`. The default is everything; of CSV, the fields and the declared attributes. With it, the schema of the response is that in `x-other-content`: a process has only what is named. */
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
  /** Separated by commas. What to return of each process: fields such as `state`, short ids of attributes, `record.id`, `record.phone`, `record.email`, `record.data.<name>`. The default is everything; of CSV, the fields and the declared attributes. With it, the schema of the response is that in `x-other-content`: a process has only what is named. */
  fields?: string | undefined
}

export type BulkUpdateProcessesBody =
  | {
      /** Each item names a process by `id` (a UUID or a primary-key value) or by the primary key's short id. The fields to change are in `update` or next to the identifier. `isDeleted: true` deletes the process, `isDeleted: false` by itself restores a deleted one. */
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
              /** The customer that the process is for. `null`: nobody. */
              record?:
                | {
                    /** The id of a customer of the team. */
                    id?: string | undefined
                    /** Attributes of the customer, merged into the record; `null` removes one. Without an `id`, a phone number (`phone`, `phone_number`, `phoneNumber`, `mobile`) or an e-mail address (`email`, `email_address`, `emailAddress`) identifies a customer who exists, and a new one is made where nobody has it. Data without either are about the customer that the process has, or else about a new one. */
                    data?:
                      | {
                          [member: string]: unknown
                        }
                      | undefined
                  }
                | null
                | undefined
              /** `true` deletes the process, and takes no other change. `false` by itself restores a deleted one, and leaves another as it is; not with a `where`. */
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
        /** The customer that the process is for. `null`: nobody. */
        record?:
          | {
              /** The id of a customer of the team. */
              id?: string | undefined
              /** Attributes of the customer, merged into the record; `null` removes one. Without an `id`, a phone number (`phone`, `phone_number`, `phoneNumber`, `mobile`) or an e-mail address (`email`, `email_address`, `emailAddress`) identifies a customer who exists, and a new one is made where nobody has it. Data without either are about the customer that the process has, or else about a new one. */
              data?:
                | {
                    [member: string]: unknown
                  }
                | undefined
            }
          | null
          | undefined
        /** `true` deletes the process, and takes no other change. `false` by itself restores a deleted one, and leaves another as it is; not with a `where`. */
        isDeleted?: boolean | undefined
      }
      /** Must be true if the query matches every process, as `{}` does. Otherwise such a query is refused. */
      all?: boolean | undefined
      /** Must be true if the request names an attribute that the procedure does not declare. Otherwise it is refused, because such a name is often a mistyped one. A strict procedure refuses it in any case. */
      allowUndeclared?: boolean | undefined
    }

export interface BulkUpdateProcessesQuery {
  /** With `true` the job changes nothing: its entries end as they would, and tell what they would change. It can be applied then. */
  dryRun?: 'true' | 'false' | undefined
  /** Of `text/csv`: what separates the cells. By default a comma, semicolon or tab, as the header has it. */
  delimiter?: string | undefined
  /** Of `text/csv`: whether days are written as 2026-12-31, 31.12.2026 or 12/31/2026. By default what the first rows show; refused if they can be read in two ways. */
  dates?: 'iso' | 'dmy' | 'mdy' | undefined
  /** Of `text/csv`: what stands before the decimals of a number, as in 1,234.5 or 1.234,5; `plain` is 1234.5 alone. By default what the first rows show; refused if they can be read in two ways. */
  decimal?: 'point' | 'comma' | 'plain' | undefined
  /** Of `text/csv`: whether the `line` of an entry is the line of the body in which its row begins, which is the default, or the number of its row as a spreadsheet counts: blank rows count, and line breaks in cells do not. */
  numbering?: 'lines' | 'rows' | undefined
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
  /** The customer that the process is for. `null`: nobody. */
  record?:
    | {
        /** The id of a customer of the team. */
        id?: string | undefined
        /** Attributes of the customer, merged into the record; `null` removes one. Without an `id`, a phone number (`phone`, `phone_number`, `phoneNumber`, `mobile`) or an e-mail address (`email`, `email_address`, `emailAddress`) identifies a customer who exists, and a new one is made where nobody has it. Data without either are about the customer that the process has, or else about a new one. */
        data?:
          | {
              [member: string]: unknown
            }
          | undefined
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
      /** The customer that the process is for. `null`: nobody. */
      record?:
        | {
            /** The id of a customer of the team. */
            id?: string | undefined
            /** Attributes of the customer, merged into the record; `null` removes one. Without an `id`, a phone number (`phone`, `phone_number`, `phoneNumber`, `mobile`) or an e-mail address (`email`, `email_address`, `emailAddress`) identifies a customer who exists, and a new one is made where nobody has it. Data without either are about the customer that the process has, or else about a new one. */
            data?:
              | {
                  [member: string]: unknown
                }
              | undefined
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
        /** The customer that the process is for. `null`: nobody. */
        record?:
          | {
              /** The id of a customer of the team. */
              id?: string | undefined
              /** Attributes of the customer, merged into the record; `null` removes one. Without an `id`, a phone number (`phone`, `phone_number`, `phoneNumber`, `mobile`) or an e-mail address (`email`, `email_address`, `emailAddress`) identifies a customer who exists, and a new one is made where nobody has it. Data without either are about the customer that the process has, or else about a new one. */
              data?:
                | {
                    [member: string]: unknown
                  }
                | undefined
            }
          | null
          | undefined
        [member: string]: unknown
      }[]
    }

export type BulkCreateProcessesQuery = BulkUpdateProcessesQuery

export type BulkUpsertProcessesBody =
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
      /** The customer that the process is for. `null`: nobody. */
      record?:
        | {
            /** The id of a customer of the team. */
            id?: string | undefined
            /** Attributes of the customer, merged into the record; `null` removes one. Without an `id`, a phone number (`phone`, `phone_number`, `phoneNumber`, `mobile`) or an e-mail address (`email`, `email_address`, `emailAddress`) identifies a customer who exists, and a new one is made where nobody has it. Data without either are about the customer that the process has, or else about a new one. */
            data?:
              | {
                  [member: string]: unknown
                }
              | undefined
          }
        | null
        | undefined
      [member: string]: unknown
    }[]
  | {
      /** The processes to create or update. */
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
        /** The customer that the process is for. `null`: nobody. */
        record?:
          | {
              /** The id of a customer of the team. */
              id?: string | undefined
              /** Attributes of the customer, merged into the record; `null` removes one. Without an `id`, a phone number (`phone`, `phone_number`, `phoneNumber`, `mobile`) or an e-mail address (`email`, `email_address`, `emailAddress`) identifies a customer who exists, and a new one is made where nobody has it. Data without either are about the customer that the process has, or else about a new one. */
              data?:
                | {
                    [member: string]: unknown
                  }
                | undefined
            }
          | null
          | undefined
        [member: string]: unknown
      }[]
    }

export type BulkUpsertProcessesQuery = BulkUpdateProcessesQuery

export interface ScheduleJobBody {
  /** They are processed in this order. */
  entries: readonly {
    /** What the entry does. */
    apiType:
      | 'PROCESS_UPDATE'
      | 'PROCESS_CREATE'
      | 'PROCESS_DELETE'
      | 'PROCESS_RESTORE'
      | 'PROCESS_UPSERT'
      | 'TEMPLATE_MESSAGE'
    /** The process, and what is changed or sent; see [bulk jobs](/docs/bulk). */
    apiData: {
      [member: string]: unknown
    }
  }[]
  /** When the job starts: epoch milliseconds, as a number or as its digits, or ISO 8601 with an offset. The default is now. */
  startAt?: number | string | null | undefined
}

export interface ScheduleJobQuery {
  /** With `true` the job changes nothing: its entries end as they would, and tell what they would change. It can be applied then. */
  dryRun?: 'true' | 'false' | undefined
}

export interface ListJobsQuery {
  /** Only jobs with this status. */
  completionStatus?: 'NOT_STARTED' | 'IN_PROGRESS' | 'SUCCESS' | 'ERROR' | 'CANCELLED' | undefined
  /** Only jobs of this user. */
  createdBy?: string | undefined
  /** Only jobs all of whose entries are about this procedure: its id. */
  procedure?: string | undefined
  /** Only jobs that retry the failed entries of this one. */
  retryOf?: string | undefined
  /** Only jobs that were created from this time on. */
  from?: number | string | undefined
  /** Only jobs that were created before this time. */
  to?: number | string | undefined
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

export type BulkSendTemplateMessageQuery = ScheduleJobQuery

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
  /** Only entries that failed for this reason: the `group` of one of `…/errors`. */
  group?: string | undefined
  /** Only entries with this `index` or a later one: what a download that broke off lacks. */
  fromIndex?: number | undefined
}

export interface ListJobErrorsQuery {
  /** How many to return at most. */
  limit?: number | undefined
  /** How many to skip. */
  skip?: number | undefined
}

export interface RetryJobBody {
  /** Only entries that failed for this reason: the `group` of one of `…/errors`. The default is all. */
  group?: string | undefined
  /** Only entries with one of these statuses. The default is ERROR; with a `group`, ERROR and INVALID. INVALID entries are read and checked again. CANCELLED are those that a cancelled job has not run; one retry takes them. */
  statuses?: readonly ('ERROR' | 'INVALID' | 'CANCELLED')[] | undefined
  /** Is merged into each entry, with the fields of an update: `data` member by member, where `null` takes a member out of the entry; the other fields replace those of the entry. */
  update?:
    | {
        [member: string]: unknown
      }
    | undefined
}

export interface ListHistoryByIdQuery {
  /** `_meta.next` of the previous page. */
  cursor?: string | undefined
  /** How many to return at most. */
  limit?: number | undefined
}

export interface RevertProcessByIdBody {
  /** The version whose values the process is to have again. */
  version: number
  /** Whether the process may go to its former state against the allowed moves. It needs the permission `process:override`, and the history says so. */
  force?: boolean | undefined
}

export type ListHistoryByPrimaryKeyQuery = ListHistoryByIdQuery

export type RevertProcessByPrimaryKeyBody = RevertProcessByIdBody

export type ListDeletedProcessesQuery = ListHistoryByIdQuery

export interface GetProcessByIdQuery {
  /** The process as it was then: epoch milliseconds, ISO 8601 with an offset, or a version. A whole number up to 999999999 is a version. */
  asOf?: string | undefined
  /** `true` adds `_meta.blame`: who gave each field its value, when, and with which version. */
  blame?: 'true' | 'false' | undefined
}

export type UpdateProcessByIdBody = CreateProcessBody

export interface DeleteProcessByIdQuery {
  /** Removes the process for good, live or deleted already, with every value of it in history, events, search, deliveries of webhooks and jobs. Needs the permission `process:purge`. */
  purge?: 'true' | 'false' | undefined
}

export type GetProcessByPrimaryKeyQuery = GetProcessByIdQuery

export type UpdateProcessByPrimaryKeyBody = CreateProcessBody

export interface ListRecordsQuery {
  /** `_meta.next` of the previous page. */
  cursor?: string | undefined
  /** How many to return at most. */
  limit?: number | undefined
  /** Words of a name. Each must begin a word of it, in any order and case, with or without accents. */
  search?: string | undefined
  /** A phone number with its country code, in any form. */
  phone?: string | undefined
  /** An e-mail address, in upper or lower case. */
  email?: string | undefined
}

export interface CreateRecordBody {
  /** Values by name. A phone number (`phone`, `phone_number`, `phoneNumber`, `mobile`) or an e-mail address (`email`, `email_address`, `emailAddress`) identifies a customer who exists; `null` removes an attribute of theirs. */
  data: {
    [member: string]: unknown
  }
}

export interface UpdateRecordBody {
  /** Values by name. `null` removes an attribute; attributes that are not sent keep their values. */
  data: {
    [member: string]: unknown
  }
}

export interface EraseRecordQuery {
  /** Empty the personal attributes of the processes as well, in history, events, jobs and archives. Needs the permission `process:purge`. */
  everywhere?: 'true' | 'false' | undefined
}

export type ListHistoryOfRecordQuery = ListHistoryByIdQuery

export type ListProcessesOfRecordQuery = ListHistoryByIdQuery

export type ListMessagesOfRecordQuery = ListHistoryByIdQuery

export interface MergeRecordBody {
  /** The id of the record that stays. */
  into: string
}

export type MergeRecordQuery = PutProcedureQuery

export interface ListSavedViewsQuery {
  /** Only views of this procedure: its id or short id. */
  procedure?: string | undefined
}

export interface CreateSavedViewBody {
  /** What the view is called. */
  name: string
  /** The id or short id of the procedure. */
  procedure: string
  /** Which processes, and in which order: `where`, `search` and `sort` as the list of processes takes them. It is checked when it is saved. */
  query?:
    | {
        /** Which processes: a filter, as a list of processes takes it. */
        where?:
          | {
              [member: string]: unknown
            }
          | undefined
        /** Words that must all occur in the primary key or the searchable attributes, in any order, each as a word or the start of one. At most 10 words. Where no attribute is searchable, the beginning of the primary key. With it, `sort` takes `relevance`. */
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
      }
    | undefined
  /** The columns, in their order: names of fields, as `fields` of a list has them. Empty: those of the page. They are not checked. */
  columns?: readonly string[] | undefined
  /** A table, or a board with a column for each state. */
  layout?: 'table' | 'board' | undefined
  /** Whether the whole team sees it. Sharing needs the permission `process:write`. */
  isShared?: boolean | undefined
}

export interface UpdateSavedViewBody {
  /** What the view is called. */
  name?: string | undefined
  /** Which processes, and in which order: `where`, `search` and `sort` as the list of processes takes them. It is checked when it is saved. */
  query?:
    | {
        /** Which processes: a filter, as a list of processes takes it. */
        where?:
          | {
              [member: string]: unknown
            }
          | undefined
        /** Words that must all occur in the primary key or the searchable attributes, in any order, each as a word or the start of one. At most 10 words. Where no attribute is searchable, the beginning of the primary key. With it, `sort` takes `relevance`. */
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
      }
    | undefined
  /** The columns, in their order: names of fields, as `fields` of a list has them. Empty: those of the page. They are not checked. */
  columns?: readonly string[] | undefined
  /** A table, or a board with a column for each state. */
  layout?: 'table' | 'board' | undefined
  /** Whether the whole team sees it. Sharing needs the permission `process:write`. */
  isShared?: boolean | undefined
}

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

export interface CountMessagesQuery {
  /** What is counted by. */
  groupBy?: 'status' | 'plugin' | 'template' | undefined
  /** A count for each day. */
  by?: 'day' | undefined
  /** The time zone whose days are meant. The default is UTC. */
  timeZone?: string | undefined
  /** Only messages with this delivery status. */
  status?: 'PENDING' | 'UNKNOWN' | 'SENT' | 'FAILED' | 'DELIVERED' | 'READ' | undefined
  /** Only messages of this plugin. */
  plugin?: string | undefined
  /** Only messages of this template: its name, which stands for all its languages in all plugins, or its id. */
  template?: string | undefined
  /** Only messages from this time on. */
  from?: number | string | undefined
  /** Only messages before this time. */
  to?: number | string | undefined
  /** Ours, or those of customers. */
  direction?: 'OUTBOUND' | 'INBOUND' | undefined
  /** `_meta.next` of the previous page. */
  cursor?: string | undefined
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
  /** Not taken: it is set to the id of the message. */
  biz_opaque_callback_data?: unknown | undefined
  [member: string]: unknown
}

export interface ListMessagesQuery {
  /** The id of a process. */
  process?: string | undefined
  /** A phone number with its country code, digits only. */
  phoneNumber?: string | undefined
  /** The id of a job that sent messages. */
  backgroundJob?: string | undefined
  /** Only messages with this delivery status. */
  status?: 'PENDING' | 'UNKNOWN' | 'SENT' | 'FAILED' | 'DELIVERED' | 'READ' | undefined
  /** Only messages of this plugin. */
  plugin?: string | undefined
  /** Only messages of this template: its name, which stands for all its languages in all plugins, or its id. */
  template?: string | undefined
  /** Only messages from this time on. */
  from?: number | string | undefined
  /** Only messages before this time. */
  to?: number | string | undefined
  /** Only ours, or only those of customers. */
  direction?: 'OUTBOUND' | 'INBOUND' | undefined
  /** `_meta.next` of the previous page. */
  cursor?: string | undefined
  /** How many to skip. */
  skip?: number | undefined
  /** How many to return at most. */
  limit?: number | undefined
}

export type ListOptOutsQuery = ListHistoryByIdQuery

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

export interface ListEventsQuery {
  /** Only events with a greater number: `_meta.next` of the previous page. Without it the page begins with the oldest event that is kept. */
  after?: number | undefined
  /** Only events of these types, with commas between them: `process.created`, `process.updated`, `process.deleted`, `process.restored`, `process.next_action_due`, `record.updated`, `record.merged`, `record.erased`, `background_job.completed`, `message.received`, `message.status_changed`, `plugin.stopped`, `plugin.resumed`, `template.changed`, `webhook.disabled`. */
  type?: string | undefined
  /** How many to return at most. */
  limit?: number | undefined
  /** How long to wait for an event if there is none yet. */
  waitSeconds?: number | undefined
}

export interface SwitchEventFeedBody {
  /** Whether every event is kept. */
  enabled: boolean
}

export interface CreateWebhookBody {
  /** Where events are sent to: https, a public host, one of the ports that the installation allows. */
  url: string
  /** The types of events that are sent; null: all. */
  types?:
    | readonly (
        | 'process.created'
        | 'process.updated'
        | 'process.deleted'
        | 'process.restored'
        | 'process.next_action_due'
        | 'record.updated'
        | 'record.merged'
        | 'record.erased'
        | 'background_job.completed'
        | 'message.received'
        | 'message.status_changed'
        | 'plugin.stopped'
        | 'plugin.resumed'
        | 'template.changed'
        | 'webhook.disabled'
      )[]
    | null
    | undefined
  /** Ids or short ids of the procedures whose processes are told of; null: all. Events that are not about a process are sent all the same. */
  procedures?: readonly string[] | null | undefined
  /** What the webhook is for, for people. */
  description?: string | undefined
  /** Whether events are sent. What happens while it is false is sent when it is true again. */
  enabled?: boolean | undefined
  /** `any`: an event whose delivery fails is sent again later, and the next ones go on. `strict`: nothing is sent before what came first was delivered. */
  order?: 'any' | 'strict' | undefined
}

export interface UpdateWebhookBody {
  /** Where events are sent to: https, a public host, one of the ports that the installation allows. */
  url?: string | undefined
  /** The types of events that are sent; null: all. */
  types?:
    | readonly (
        | 'process.created'
        | 'process.updated'
        | 'process.deleted'
        | 'process.restored'
        | 'process.next_action_due'
        | 'record.updated'
        | 'record.merged'
        | 'record.erased'
        | 'background_job.completed'
        | 'message.received'
        | 'message.status_changed'
        | 'plugin.stopped'
        | 'plugin.resumed'
        | 'template.changed'
        | 'webhook.disabled'
      )[]
    | null
    | undefined
  /** Ids or short ids of the procedures whose processes are told of; null: all. Events that are not about a process are sent all the same. */
  procedures?: readonly string[] | null | undefined
  /** What the webhook is for, for people. */
  description?: string | undefined
  /** Whether events are sent. What happens while it is false is sent when it is true again. */
  enabled?: boolean | undefined
  /** `any`: an event whose delivery fails is sent again later, and the next ones go on. `strict`: nothing is sent before what came first was delivered. */
  order?: 'any' | 'strict' | undefined
}

export interface RotateWebhookSecretBody {
  /** How long the old secret signs as well; 0: it ends at once. */
  overlapSeconds?: number | undefined
}

export interface ListWebhookDeliveriesQuery {
  /** `true`: only attempts that failed. */
  failed?: 'true' | 'false' | undefined
  /** Only attempts to deliver this event, by its id. */
  event?: string | undefined
  /** `_meta.next` of the previous page. */
  cursor?: string | undefined
  /** How many to return at most. */
  limit?: number | undefined
}

export interface ReplayWebhookBody {
  /** The number of the first event. */
  from?: number | undefined
  /** The number of the last event. The default is the last that happened. */
  to?: number | undefined
  /** Ids of events, in place of `from` and `to`. */
  events?: readonly string[] | undefined
}

export interface ListRequestsQuery {
  /** Only requests with this status, or of this class. */
  status?: string | undefined
  /** Only requests for this operation of the reference. */
  operation?: string | undefined
  /** Only requests of this API key, session or user. */
  caller?: string | undefined
  /** Only requests from this IP address, as a request shows it. */
  address?: string | undefined
  /** `true`: only requests that failed, with a status of 400 or more. */
  failed?: 'true' | 'false' | undefined
  /** Only requests that began at this time or later. */
  from?: number | string | undefined
  /** Only requests that began before this time. */
  to?: number | string | undefined
  /** `_meta.next` of the previous page. */
  cursor?: string | undefined
  /** How many to return at most. */
  limit?: number | undefined
}

export interface GetUsageQuery {
  /** The month, in UTC. The default is this one. */
  month?: string | undefined
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

export interface ChangeUserAccessBody {
  /** The new role. */
  role?: 'admin' | 'manager' | 'agent' | 'viewer' | undefined
  /** Whether the user can act: sign in, and by keys that act for them. */
  isActive?: boolean | undefined
}

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

export interface SignInBody {
  /** The token of a sign-in link: what follows `#` in its address. */
  link?: string | undefined
  passkey?: PasskeyAssertion | undefined
  /** Signs in whom Cloudflare Access has let through, if it is set up: the active user of the team with the e-mail address that it has verified. */
  access?:
    | {
        /** The short id of the team. */
        team: string
      }
    | undefined
  /** The last step of signing in by an OpenID provider: one of the teams that `answerOpenId` has named. */
  openid?:
    | {
        /** The short id of the team. */
        team: string
      }
    | undefined
}

export interface LookAtSignInLinkBody {
  /** The token of a sign-in link: what follows `#` in its address. */
  link: string
}

export interface ListSessionsQuery {
  /** The id of a user, for theirs only. */
  user?: string | undefined
  /** How many to skip. */
  skip?: number | undefined
  /** How many to return at most. */
  limit?: number | undefined
}

export interface BeginOpenIdBody {
  /** The page of the admin area to go to afterwards. */
  from?: string | undefined
}

export interface AnswerOpenIdBody {
  /** From the address that the provider has sent the browser to. */
  code: string
  /** Likewise. */
  state: string
  /** Likewise, if it is there (RFC 9207). */
  iss?: string | undefined
}

export interface AddPasskeyBody {
  /** By which you know it. */
  name: string
  passkey: PasskeyAttestation
}

export interface ListPasskeysQuery {
  /** The id of a user, for theirs only. */
  user?: string | undefined
}

export interface CreateApiKeyBody {
  /** What the key is for. */
  name: string
  /** More about the key, for people. */
  description?: string | undefined
  /** The role of the key: what requests with it may do, as far as the role of its user allows it, too. */
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
