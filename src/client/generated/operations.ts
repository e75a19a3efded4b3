// Generated from the OpenAPI document by `npm run client`. Do not edit.

import type {
  AggregateProcessesBody,
  BulkCreateProcessesBody,
  BulkSendTemplateMessageBody,
  BulkUpdateProcessesBody,
  CountProcessesQuery,
  CreateApiKeyBody,
  CreateOrUpdateProcessBody,
  CreatePluginBody,
  CreateProcessBody,
  CreateUserBody,
  FindRecordQuery,
  GetHealthQuery,
  GetJobResultsQuery,
  ListJobEntriesQuery,
  ListJobsQuery,
  ListMessagesOfRecordQuery,
  ListMessagesQuery,
  ListNewestProcessesQuery,
  ListOptOutsQuery,
  ListProcessesBody,
  ListProcessesOfRecordQuery,
  ListProcessesQuery,
  ListUsersQuery,
  ListUsersV2Query,
  PutProcedureBody,
  ReceiveWebhookBody,
  RotateApiKeyBody,
  ScheduleJobBody,
  SendProviderMessageBody,
  SendTemplateMessageForProcessBody,
  SendTemplateMessageForProcessIdBody,
  SendTemplateMessageToPhoneBody,
  SendTemplateMessageToPhoneOfProcessPathBody,
  UpdatePluginBody,
  UpdateProcessByIdBody,
  UpdateProcessByPrimaryKeyBody,
  UpdateRecordBody,
  UpdateUserBody,
  VerifyWebhookQuery,
} from './bodies.ts'
import type {
  AggregatedGroup,
  ApiKey,
  BackgroundJob,
  BackgroundJobEntry,
  Caller,
  Config,
  Customer,
  EntryCounts,
  ErasedCustomer,
  IssuedApiKey,
  Message,
  OptOut,
  Plugin,
  Procedure,
  Process,
  ProcessCount,
  SingleUserV1,
  SingleUserV2,
  StoredMessage,
  Template,
  UserV1,
  UserV2,
  Warning,
} from './shapes.ts'

/** Method and path of each operation; how it is retried: with an idempotency key, without (safe), or never; whether it returns a stream. */
export const OPERATIONS = {
  getHealth: { method: 'GET', path: '/v1/health', retry: 'safe' },
  getConfig: { method: 'GET', path: '/v1/ext/config', retry: 'safe' },
  listProcedures: { method: 'GET', path: '/v1/ext/procedure', retry: 'safe' },
  getProcedure: { method: 'GET', path: '/v1/ext/procedure/{procedureShortId}', retry: 'safe' },
  putProcedure: { method: 'PUT', path: '/v1/ext/procedure/{procedureShortId}', retry: 'key' },
  listProcesses: { method: 'POST', path: '/v1/ext/procedure/{procedureShortId}/process/list', retry: 'safe' },
  listNewestProcesses: { method: 'GET', path: '/v1/ext/procedure/{procedureShortId}/process', retry: 'safe' },
  bulkUpdateProcesses: { method: 'PATCH', path: '/v1/ext/procedure/{procedureShortId}/process', retry: 'key' },
  createProcess: { method: 'POST', path: '/v1/ext/procedure/{procedureShortId}/process', retry: 'key' },
  createOrUpdateProcess: { method: 'PUT', path: '/v1/ext/procedure/{procedureShortId}/process', retry: 'key' },
  aggregateProcesses: { method: 'POST', path: '/v1/ext/procedure/{procedureShortId}/process/aggregate', retry: 'safe' },
  countProcesses: { method: 'GET', path: '/v1/ext/procedure/{procedureShortId}/process/count', retry: 'safe' },
  bulkCreateProcesses: {
    method: 'POST',
    path: '/v1/ext/procedure/{procedureShortId}/process/bulk-create',
    retry: 'key',
  },
  scheduleJob: { method: 'POST', path: '/v1/ext/background-job', retry: 'key' },
  listJobs: { method: 'GET', path: '/v1/ext/background-job', retry: 'safe' },
  bulkSendTemplateMessage: {
    method: 'POST',
    path: '/v1/ext/plugin/whatsapp/{pluginId}/process/{procedureShortId}/bulk-send-template-message',
    retry: 'key',
  },
  getJob: { method: 'GET', path: '/v1/ext/background-job/{backgroundJobId}', retry: 'safe' },
  listJobEntries: { method: 'GET', path: '/v1/ext/background-job/{backgroundJobId}/entries', retry: 'safe' },
  getJobResults: {
    method: 'GET',
    path: '/v1/ext/background-job/{backgroundJobId}/results',
    retry: 'safe',
    stream: true,
  },
  watchJob: { method: 'GET', path: '/v1/ext/background-job/{backgroundJobId}/events', retry: 'safe', stream: true },
  cancelJob: { method: 'POST', path: '/v1/ext/background-job/{backgroundJobId}/cancel', retry: 'key' },
  retryJob: { method: 'POST', path: '/v1/ext/background-job/{backgroundJobId}/retry', retry: 'key' },
  restoreProcess: {
    method: 'POST',
    path: '/v1/ext/procedure/{procedureShortId}/process/{processId}/restore',
    retry: 'key',
  },
  getProcessById: { method: 'GET', path: '/v1/ext/procedure/{procedureShortId}/process/{processId}', retry: 'safe' },
  updateProcessById: { method: 'PUT', path: '/v1/ext/procedure/{procedureShortId}/process/{processId}', retry: 'key' },
  deleteProcessById: {
    method: 'DELETE',
    path: '/v1/ext/procedure/{procedureShortId}/process/{processId}',
    retry: 'safe',
  },
  getProcessByPrimaryKey: {
    method: 'GET',
    path: '/v1/ext/procedure/{procedureShortId}/process/{primaryKeyShortId}/{primaryKeyValue}',
    retry: 'safe',
  },
  updateProcessByPrimaryKey: {
    method: 'PUT',
    path: '/v1/ext/procedure/{procedureShortId}/process/{primaryKeyShortId}/{primaryKeyValue}',
    retry: 'key',
  },
  deleteProcessByPrimaryKey: {
    method: 'DELETE',
    path: '/v1/ext/procedure/{procedureShortId}/process/{primaryKeyShortId}/{primaryKeyValue}',
    retry: 'never',
  },
  findRecord: { method: 'GET', path: '/v1/ext/record', retry: 'safe' },
  getRecord: { method: 'GET', path: '/v1/ext/record/{recordId}', retry: 'safe' },
  updateRecord: { method: 'PUT', path: '/v1/ext/record/{recordId}', retry: 'key' },
  eraseRecord: { method: 'DELETE', path: '/v1/ext/record/{recordId}', retry: 'safe' },
  listProcessesOfRecord: { method: 'GET', path: '/v1/ext/record/{recordId}/process', retry: 'safe' },
  listMessagesOfRecord: { method: 'GET', path: '/v1/ext/record/{recordId}/message', retry: 'safe' },
  listPlugins: { method: 'GET', path: '/v1/ext/plugin', retry: 'safe' },
  createPlugin: { method: 'POST', path: '/v1/ext/plugin/whatsapp', retry: 'key' },
  getPlugin: { method: 'GET', path: '/v1/ext/plugin/whatsapp/{pluginId}', retry: 'safe' },
  updatePlugin: { method: 'PUT', path: '/v1/ext/plugin/whatsapp/{pluginId}', retry: 'key' },
  deletePlugin: { method: 'DELETE', path: '/v1/ext/plugin/whatsapp/{pluginId}', retry: 'safe' },
  syncTemplates: { method: 'POST', path: '/v1/ext/plugin/whatsapp/{pluginId}/sync-templates', retry: 'key' },
  listTemplates: { method: 'GET', path: '/v1/ext/plugin/whatsapp/{pluginId}/templates', retry: 'safe' },
  sendTemplateMessageToPhoneOfProcessPath: {
    method: 'POST',
    path: '/v1/ext/plugin/whatsapp/{pluginId}/process/phoneNumber/{phoneNumber}/send-template-message',
    retry: 'key',
  },
  sendTemplateMessageToPhone: {
    method: 'POST',
    path: '/v1/ext/plugin/whatsapp/{pluginId}/phoneNumber/{phoneNumber}/send-template-message',
    retry: 'key',
  },
  sendTemplateMessageForProcessId: {
    method: 'POST',
    path: '/v1/ext/plugin/whatsapp/{pluginId}/process/{processId}/send-template-message',
    retry: 'key',
  },
  sendTemplateMessageForProcess: {
    method: 'POST',
    path: '/v1/ext/plugin/whatsapp/{pluginId}/process/{procedureShortId}/{processIdOrKey}/send-template-message',
    retry: 'key',
  },
  sendProviderMessage: {
    method: 'POST',
    path: '/v1/ext/plugin/whatsapp/{pluginId}/api/{version}/{phoneNumberId}/messages',
    retry: 'key',
  },
  resendMessage: { method: 'POST', path: '/v1/ext/message/{messageId}/resend', retry: 'key' },
  getMessage: { method: 'GET', path: '/v1/ext/message/{messageId}', retry: 'safe' },
  listMessages: { method: 'GET', path: '/v1/ext/message', retry: 'safe' },
  listOptOuts: { method: 'GET', path: '/v1/ext/opt-out', retry: 'safe' },
  removeOptOut: { method: 'DELETE', path: '/v1/ext/opt-out/{phoneNumber}', retry: 'safe' },
  uploadPublicMedia: { method: 'POST', path: '/v1/ext/plugin/whatsapp/{pluginId}/upload-public-media', retry: 'key' },
  getMedia: { method: 'GET', path: '/media/{team}/{date}/{file}', retry: 'safe', stream: true },
  verifyWebhook: { method: 'GET', path: '/webhooks/whatsapp/{pluginId}', retry: 'safe', stream: true },
  receiveWebhook: { method: 'POST', path: '/webhooks/whatsapp/{pluginId}', retry: 'never' },
  getMe: { method: 'GET', path: '/v1/ext/me', retry: 'safe' },
  listUsers: { method: 'GET', path: '/v1/ext/users', retry: 'safe' },
  getUser: { method: 'GET', path: '/v1/ext/user/{userId}', retry: 'safe' },
  updateUser: { method: 'PUT', path: '/v1/ext/user/{userId}', retry: 'key' },
  listUsersV2: { method: 'GET', path: '/v2/ext/users', retry: 'safe' },
  getUserV2: { method: 'GET', path: '/v2/ext/user/{userId}', retry: 'safe' },
  createUser: { method: 'POST', path: '/v1/ext/user', retry: 'key' },
  createApiKey: { method: 'POST', path: '/v1/ext/api-key', retry: 'key' },
  listApiKeys: { method: 'GET', path: '/v1/ext/api-key', retry: 'safe' },
  revokeApiKey: { method: 'DELETE', path: '/v1/ext/api-key/{keyId}', retry: 'safe' },
  rotateApiKey: { method: 'POST', path: '/v1/ext/api-key/{keyId}/rotate', retry: 'key' },
} as const

/** The input and the result of each operation. */
export interface Operations {
  /** Check the health */
  getHealth: {
    query: GetHealthQuery
    data: {
      /** `failing` if a check fails. */
      status: 'ok' | 'failing'
      /** The version of Caseworker. */
      version: string
      /** With `deep`: the id of the deployed version. */
      deployment?: string | undefined
      /** With `deep`: whether an operator has paused the service. */
      paused?: boolean | undefined
      /** With `deep`: each part by itself. */
      checks?:
        | {
            [member: string]: {
              /** `failing` if a check fails. */
              status: 'ok' | 'failing'
              /** Of a check that fails: why. */
              reason?: string | undefined
              /** What was measured. */
              figures?:
                | {
                    [member: string]: number | string | null
                  }
                | undefined
            }
          }
        | undefined
    }
  }
  /** Fetch the configuration */
  getConfig: {
    data: Config
  }
  /** List procedures */
  listProcedures: {
    data: Procedure[]
  }
  /** Fetch a procedure */
  getProcedure: {
    path: {
      procedureShortId: string
    }
    data: Procedure
  }
  /** Create or replace a procedure */
  putProcedure: {
    path: {
      procedureShortId: string
    }
    body: PutProcedureBody
    data: Procedure
  }
  /** Search processes */
  listProcesses: {
    path: {
      procedureShortId: string
    }
    query: ListProcessesQuery
    body: ListProcessesBody
    data: Process[]
    meta: {
      hasMore: boolean
      next: string | null
      warnings?: Warning[] | undefined
    }
  }
  /** List processes */
  listNewestProcesses: {
    path: {
      procedureShortId: string
    }
    query: ListNewestProcessesQuery
    data: Process[]
    meta: {
      hasMore: boolean
      next: string | null
      warnings?: Warning[] | undefined
    }
  }
  /** Update processes in bulk */
  bulkUpdateProcesses: {
    path: {
      procedureShortId: string
    }
    body: BulkUpdateProcessesBody
    data: BackgroundJob
    meta: {
      bjEntryCompletionStatusVsCount: EntryCounts
      warnings?: Warning[] | undefined
    }
  }
  /** Create a process */
  createProcess: {
    path: {
      procedureShortId: string
    }
    body: CreateProcessBody
    data: Process
    meta: {
      warnings?: Warning[] | undefined
    }
  }
  /** Create or update a process */
  createOrUpdateProcess: {
    path: {
      procedureShortId: string
    }
    body: CreateOrUpdateProcessBody
    data: Process
    meta: {
      warnings?: Warning[] | undefined
    }
  }
  /** Count and sum processes */
  aggregateProcesses: {
    path: {
      procedureShortId: string
    }
    body: AggregateProcessesBody
    data: AggregatedGroup[]
    meta: {
      isComplete: boolean
      next: string | null
      warnings?: Warning[] | undefined
      groups: number
    }
  }
  /** Count processes */
  countProcesses: {
    path: {
      procedureShortId: string
    }
    query: CountProcessesQuery
    data: ProcessCount
    meta: {
      isComplete: boolean
      next: string | null
      warnings?: Warning[] | undefined
    }
  }
  /** Create processes in bulk */
  bulkCreateProcesses: {
    path: {
      procedureShortId: string
    }
    body: BulkCreateProcessesBody
    data: BackgroundJob
    meta: {
      bjEntryCompletionStatusVsCount: EntryCounts
      warnings?: Warning[] | undefined
    }
  }
  /** Schedule a job */
  scheduleJob: {
    body: ScheduleJobBody
    data: BackgroundJob
    meta: {
      bjEntryCompletionStatusVsCount: EntryCounts
      warnings?: Warning[] | undefined
    }
  }
  /** List jobs */
  listJobs: {
    query: ListJobsQuery
    data: BackgroundJob[]
    meta: {
      hasMore: boolean
      next: string | null
    }
  }
  /** Send a template in bulk */
  bulkSendTemplateMessage: {
    path: {
      pluginId: string
      procedureShortId: string
    }
    body: BulkSendTemplateMessageBody
    data: BackgroundJob
    meta: {
      bjEntryCompletionStatusVsCount: EntryCounts
      warnings?: Warning[] | undefined
    }
  }
  /** Fetch a job */
  getJob: {
    path: {
      backgroundJobId: string
    }
    data: BackgroundJob
    meta: {
      bjEntryCompletionStatusVsCount: EntryCounts
      deliveryStatusVsCount?:
        | {
            [member: string]: number
          }
        | undefined
    }
  }
  /** List the entries of a job */
  listJobEntries: {
    path: {
      backgroundJobId: string
    }
    query: ListJobEntriesQuery
    data: BackgroundJobEntry[]
    meta: {
      hasMore: boolean
      total: number
      next: string | null
    }
  }
  /** Download the results of a job */
  getJobResults: {
    path: {
      backgroundJobId: string
    }
    query: GetJobResultsQuery
    data: ReadableStream<Uint8Array>
  }
  /** Watch a job */
  watchJob: {
    path: {
      backgroundJobId: string
    }
    data: ReadableStream<Uint8Array>
  }
  /** Cancel a job */
  cancelJob: {
    path: {
      backgroundJobId: string
    }
    data: BackgroundJob
    meta: {
      bjEntryCompletionStatusVsCount: EntryCounts
    }
  }
  /** Retry the failed entries */
  retryJob: {
    path: {
      backgroundJobId: string
    }
    data: BackgroundJob
    meta: {
      bjEntryCompletionStatusVsCount: EntryCounts
      warnings?: Warning[] | undefined
    }
  }
  /** Restore a process */
  restoreProcess: {
    path: {
      procedureShortId: string
      processId: string
    }
    data: Process
  }
  /** Fetch a process by id */
  getProcessById: {
    path: {
      procedureShortId: string
      processId: string
    }
    data: Process
  }
  /** Update a process by id */
  updateProcessById: {
    path: {
      procedureShortId: string
      processId: string
    }
    body: UpdateProcessByIdBody
    data: Process
    meta: {
      warnings?: Warning[] | undefined
    }
  }
  /** Delete a process by id */
  deleteProcessById: {
    path: {
      procedureShortId: string
      processId: string
    }
    data: Process
  }
  /** Fetch a process by key */
  getProcessByPrimaryKey: {
    path: {
      procedureShortId: string
      primaryKeyShortId: string
      primaryKeyValue: string
    }
    data: Process
  }
  /** Update a process by key */
  updateProcessByPrimaryKey: {
    path: {
      procedureShortId: string
      primaryKeyShortId: string
      primaryKeyValue: string
    }
    body: UpdateProcessByPrimaryKeyBody
    data: Process
    meta: {
      warnings?: Warning[] | undefined
    }
  }
  /** Delete a process by key */
  deleteProcessByPrimaryKey: {
    path: {
      procedureShortId: string
      primaryKeyShortId: string
      primaryKeyValue: string
    }
    data: Process
  }
  /** Find a customer */
  findRecord: {
    query: FindRecordQuery
    data: Customer[]
  }
  /** Fetch a customer */
  getRecord: {
    path: {
      recordId: string
    }
    data: Customer
  }
  /** Update a customer */
  updateRecord: {
    path: {
      recordId: string
    }
    body: UpdateRecordBody
    data: Customer
  }
  /** Erase a customer */
  eraseRecord: {
    path: {
      recordId: string
    }
    data: ErasedCustomer
  }
  /** List processes of a customer */
  listProcessesOfRecord: {
    path: {
      recordId: string
    }
    query: ListProcessesOfRecordQuery
    data: Process[]
    meta: {
      hasMore: boolean
      next: string | null
    }
  }
  /** List messages to a customer */
  listMessagesOfRecord: {
    path: {
      recordId: string
    }
    query: ListMessagesOfRecordQuery
    data: StoredMessage[]
    meta: {
      hasMore: boolean
      next: string | null
    }
  }
  /** List plugins */
  listPlugins: {
    data: Plugin[]
  }
  /** Connect a WhatsApp account */
  createPlugin: {
    body: CreatePluginBody
    data: Plugin
  }
  /** Fetch a plugin */
  getPlugin: {
    path: {
      pluginId: string
    }
    data: Plugin
  }
  /** Update a plugin */
  updatePlugin: {
    path: {
      pluginId: string
    }
    body: UpdatePluginBody
    data: Plugin
  }
  /** Delete a plugin */
  deletePlugin: {
    path: {
      pluginId: string
    }
    data: Plugin
  }
  /** Sync templates */
  syncTemplates: {
    path: {
      pluginId: string
    }
    data: {
      /** How many templates the plugin has now. */
      templates: number
    }
  }
  /** List templates */
  listTemplates: {
    path: {
      pluginId: string
    }
    data: Template[]
  }
  /** Send a template (other path) */
  sendTemplateMessageToPhoneOfProcessPath: {
    path: {
      pluginId: string
      phoneNumber: string
    }
    body: SendTemplateMessageToPhoneOfProcessPathBody
    data: Message
  }
  /** Send a template to a number */
  sendTemplateMessageToPhone: {
    path: {
      pluginId: string
      phoneNumber: string
    }
    body: SendTemplateMessageToPhoneBody
    data: Message
  }
  /** Send a template by process id */
  sendTemplateMessageForProcessId: {
    path: {
      pluginId: string
      processId: string
    }
    body: SendTemplateMessageForProcessIdBody
    data: Message
  }
  /** Send a template for a process */
  sendTemplateMessageForProcess: {
    path: {
      pluginId: string
      procedureShortId: string
      processIdOrKey: string
    }
    body: SendTemplateMessageForProcessBody
    data: Message
  }
  /** Send in the provider's format */
  sendProviderMessage: {
    path: {
      pluginId: string
      version: string
      phoneNumberId: string
    }
    body: SendProviderMessageBody
    data: {
      /** The provider's id of the message. */
      whatsappMessageId: string | null
      /** The id of the message here. */
      id: string
    }
  }
  /** Resend a message */
  resendMessage: {
    path: {
      messageId: string
    }
    data: Message
  }
  /** Fetch a message */
  getMessage: {
    path: {
      messageId: string
    }
    data: StoredMessage
  }
  /** List messages */
  listMessages: {
    query: ListMessagesQuery
    data: StoredMessage[]
    meta: {
      hasMore: boolean
      next: string | null
    }
  }
  /** List opt-outs */
  listOptOuts: {
    query: ListOptOutsQuery
    data: OptOut[]
    meta: {
      hasMore: boolean
      next: string | null
    }
  }
  /** Remove an opt-out */
  removeOptOut: {
    path: {
      phoneNumber: string
    }
    data: OptOut
  }
  /** Upload a file */
  uploadPublicMedia: {
    path: {
      pluginId: string
    }
    body: FormData
    data: {
      /** The address, for `imageUrl`, `videoUrl` or `documentUrl`. */
      publicMediaUrl: string
    }
  }
  /** Download a file */
  getMedia: {
    path: {
      team: string
      date: string
      file: string
    }
    data: ReadableStream<Uint8Array>
  }
  /** Verify a webhook */
  verifyWebhook: {
    path: {
      pluginId: string
    }
    query: VerifyWebhookQuery
    data: ReadableStream<Uint8Array>
  }
  /** Receive a webhook */
  receiveWebhook: {
    path: {
      pluginId: string
    }
    body: ReceiveWebhookBody
    data: Record<string, never>
  }
  /** Fetch the caller */
  getMe: {
    data: Caller
  }
  /** List users (v1) */
  listUsers: {
    query: ListUsersQuery
    data: UserV1[]
    meta: {
      hasMore: boolean
    }
  }
  /** Fetch a user (v1) */
  getUser: {
    path: {
      userId: string
    }
    data: SingleUserV1
  }
  /** Update a user */
  updateUser: {
    path: {
      userId: string
    }
    body: UpdateUserBody
    data: SingleUserV1
  }
  /** List users (v2) */
  listUsersV2: {
    query: ListUsersV2Query
    data: UserV2[]
    meta: {
      hasMore: boolean
    }
  }
  /** Fetch a user (v2) */
  getUserV2: {
    path: {
      userId: string
    }
    data: SingleUserV2
  }
  /** Create a user */
  createUser: {
    body: CreateUserBody
    data: SingleUserV1
  }
  /** Create an API key */
  createApiKey: {
    body: CreateApiKeyBody
    data: IssuedApiKey
  }
  /** List API keys */
  listApiKeys: {
    data: ApiKey[]
  }
  /** Revoke an API key */
  revokeApiKey: {
    path: {
      keyId: string
    }
    data: ApiKey
  }
  /** Rotate an API key */
  rotateApiKey: {
    path: {
      keyId: string
    }
    body: RotateApiKeyBody
    data: IssuedApiKey
  }
}
