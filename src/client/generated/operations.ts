// Generated from the OpenAPI document by `npm run client`. Do not edit.

import type {
  AddPasskeyBody,
  AggregateProcessesBody,
  AnswerOpenIdBody,
  BeginOpenIdBody,
  BulkCreateProcessesBody,
  BulkCreateProcessesQuery,
  BulkSendTemplateMessageBody,
  BulkSendTemplateMessageQuery,
  BulkUpdateProcessesBody,
  BulkUpdateProcessesQuery,
  BulkUpsertProcessesBody,
  BulkUpsertProcessesQuery,
  ChangeUserAccessBody,
  CountMessagesQuery,
  CountProcessesQuery,
  CreateApiKeyBody,
  CreateOrUpdateProcessBody,
  CreatePluginBody,
  CreateProcessBody,
  CreateRecordBody,
  CreateSavedViewBody,
  CreateUserBody,
  CreateWebhookBody,
  DeleteProcessByIdQuery,
  EraseRecordQuery,
  GetHealthQuery,
  GetJobResultsQuery,
  GetProcessByIdQuery,
  GetProcessByPrimaryKeyQuery,
  GetUsageQuery,
  ListDeletedProcessesQuery,
  ListEventsQuery,
  ListHistoryByIdQuery,
  ListHistoryByPrimaryKeyQuery,
  ListHistoryOfRecordQuery,
  ListJobEntriesQuery,
  ListJobErrorsQuery,
  ListJobsQuery,
  ListMessagesOfRecordQuery,
  ListMessagesQuery,
  ListNewestProcessesQuery,
  ListOptOutsQuery,
  ListPasskeysQuery,
  ListProcessesBody,
  ListProcessesOfRecordQuery,
  ListProcessesQuery,
  ListRecordsQuery,
  ListRequestsQuery,
  ListSavedViewsQuery,
  ListSessionsQuery,
  ListUsersQuery,
  ListUsersV2Query,
  ListWebhookDeliveriesQuery,
  LookAtSignInLinkBody,
  MergeRecordBody,
  MergeRecordQuery,
  PutProcedureBody,
  PutProcedureQuery,
  ReceiveWebhookBody,
  ReplayWebhookBody,
  RetryJobBody,
  RevertProcessByIdBody,
  RevertProcessByPrimaryKeyBody,
  RotateApiKeyBody,
  RotateWebhookSecretBody,
  ScheduleJobBody,
  ScheduleJobQuery,
  SendProviderMessageBody,
  SendTemplateMessageForProcessBody,
  SendTemplateMessageForProcessIdBody,
  SendTemplateMessageToPhoneBody,
  SendTemplateMessageToPhoneOfProcessPathBody,
  SignInBody,
  SwitchEventFeedBody,
  UpdatePluginBody,
  UpdateProcessByIdBody,
  UpdateProcessByPrimaryKeyBody,
  UpdateRecordBody,
  UpdateSavedViewBody,
  UpdateUserBody,
  UpdateWebhookBody,
  VerifyWebhookQuery,
} from './bodies.ts'
import type {
  AggregatedGroup,
  ApiKey,
  BackgroundJob,
  BackgroundJobEntry,
  Blame,
  Caller,
  Config,
  Customer,
  DeletedProcess,
  DeliveryFailure,
  EntryCounts,
  ErasedCustomer,
  EventFeed,
  IssuedApiKey,
  IssuedWebhook,
  JobCount,
  JobFailures,
  JobRetries,
  LoggedRequest,
  MergedCustomer,
  Message,
  MessageCount,
  OpenIdPerson,
  OpenIdSignIn,
  OptOut,
  Passkey,
  PasskeyChallenge,
  Plugin,
  Procedure,
  ProcedureDryRun,
  Process,
  ProcessCount,
  ProcessHistoryEntry,
  RecordHistoryEntry,
  SavedView,
  Session,
  SignedOut,
  SignInChallenge,
  SignInLink,
  SingleUserV1,
  SingleUserV2,
  StoredMessage,
  TeamEvent,
  Template,
  Usage,
  UserV1,
  UserV2,
  Warning,
  WaysToSignIn,
  Webhook,
  WebhookDelivery,
  WebhookReplay,
  WebhookTest,
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
  bulkUpsertProcesses: {
    method: 'POST',
    path: '/v1/ext/procedure/{procedureShortId}/process/bulk-upsert',
    retry: 'key',
  },
  scheduleJob: { method: 'POST', path: '/v1/ext/background-job', retry: 'key' },
  listJobs: { method: 'GET', path: '/v1/ext/background-job', retry: 'safe' },
  countJobs: { method: 'GET', path: '/v1/ext/background-job/count', retry: 'safe' },
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
  listJobErrors: { method: 'GET', path: '/v1/ext/background-job/{backgroundJobId}/errors', retry: 'safe' },
  watchJob: { method: 'GET', path: '/v1/ext/background-job/{backgroundJobId}/events', retry: 'safe', stream: true },
  cancelJob: { method: 'POST', path: '/v1/ext/background-job/{backgroundJobId}/cancel', retry: 'key' },
  applyJob: { method: 'POST', path: '/v1/ext/background-job/{backgroundJobId}/apply', retry: 'key' },
  retryJob: { method: 'POST', path: '/v1/ext/background-job/{backgroundJobId}/retry', retry: 'key' },
  undoJob: { method: 'POST', path: '/v1/ext/background-job/{backgroundJobId}/undo', retry: 'key' },
  listHistoryById: {
    method: 'GET',
    path: '/v1/ext/procedure/{procedureShortId}/process/{processId}/history',
    retry: 'safe',
  },
  revertProcessById: {
    method: 'PUT',
    path: '/v1/ext/procedure/{procedureShortId}/process/{processId}/revert',
    retry: 'key',
  },
  listHistoryByPrimaryKey: {
    method: 'GET',
    path: '/v1/ext/procedure/{procedureShortId}/process/{primaryKeyShortId}/{primaryKeyValue}/history',
    retry: 'safe',
  },
  revertProcessByPrimaryKey: {
    method: 'PUT',
    path: '/v1/ext/procedure/{procedureShortId}/process/{primaryKeyShortId}/{primaryKeyValue}/revert',
    retry: 'key',
  },
  listDeletedProcesses: { method: 'GET', path: '/v1/ext/procedure/{procedureShortId}/process/trash', retry: 'safe' },
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
  listRecords: { method: 'GET', path: '/v1/ext/record', retry: 'safe' },
  createRecord: { method: 'POST', path: '/v1/ext/record', retry: 'key' },
  getRecord: { method: 'GET', path: '/v1/ext/record/{recordId}', retry: 'safe' },
  updateRecord: { method: 'PUT', path: '/v1/ext/record/{recordId}', retry: 'key' },
  eraseRecord: { method: 'DELETE', path: '/v1/ext/record/{recordId}', retry: 'safe' },
  listHistoryOfRecord: { method: 'GET', path: '/v1/ext/record/{recordId}/history', retry: 'safe' },
  listProcessesOfRecord: { method: 'GET', path: '/v1/ext/record/{recordId}/process', retry: 'safe' },
  listMessagesOfRecord: { method: 'GET', path: '/v1/ext/record/{recordId}/message', retry: 'safe' },
  mergeRecord: { method: 'POST', path: '/v1/ext/record/{recordId}/merge', retry: 'key' },
  listSavedViews: { method: 'GET', path: '/v1/ext/saved-view', retry: 'safe' },
  createSavedView: { method: 'POST', path: '/v1/ext/saved-view', retry: 'key' },
  getSavedView: { method: 'GET', path: '/v1/ext/saved-view/{savedViewId}', retry: 'safe' },
  updateSavedView: { method: 'PUT', path: '/v1/ext/saved-view/{savedViewId}', retry: 'key' },
  deleteSavedView: { method: 'DELETE', path: '/v1/ext/saved-view/{savedViewId}', retry: 'safe' },
  listPlugins: { method: 'GET', path: '/v1/ext/plugin', retry: 'safe' },
  createPlugin: { method: 'POST', path: '/v1/ext/plugin/whatsapp', retry: 'key' },
  getPlugin: { method: 'GET', path: '/v1/ext/plugin/whatsapp/{pluginId}', retry: 'safe' },
  updatePlugin: { method: 'PUT', path: '/v1/ext/plugin/whatsapp/{pluginId}', retry: 'key' },
  deletePlugin: { method: 'DELETE', path: '/v1/ext/plugin/whatsapp/{pluginId}', retry: 'safe' },
  syncTemplates: { method: 'POST', path: '/v1/ext/plugin/whatsapp/{pluginId}/sync-templates', retry: 'key' },
  listTemplates: { method: 'GET', path: '/v1/ext/plugin/whatsapp/{pluginId}/templates', retry: 'safe' },
  countMessages: { method: 'GET', path: '/v1/ext/message/count', retry: 'safe' },
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
  downloadMessageMedia: { method: 'GET', path: '/v1/ext/message/{messageId}/media', retry: 'safe', stream: true },
  listOptOuts: { method: 'GET', path: '/v1/ext/opt-out', retry: 'safe' },
  removeOptOut: { method: 'DELETE', path: '/v1/ext/opt-out/{phoneNumber}', retry: 'safe' },
  uploadPublicMedia: { method: 'POST', path: '/v1/ext/plugin/whatsapp/{pluginId}/upload-public-media', retry: 'key' },
  getMedia: { method: 'GET', path: '/media/{team}/{date}/{file}', retry: 'safe', stream: true },
  verifyWebhook: { method: 'GET', path: '/webhooks/whatsapp/{home}/{pluginId}', retry: 'safe', stream: true },
  receiveWebhook: { method: 'POST', path: '/webhooks/whatsapp/{home}/{pluginId}', retry: 'never' },
  listEvents: { method: 'GET', path: '/v1/ext/event', retry: 'safe' },
  getEventFeed: { method: 'GET', path: '/v1/ext/event-feed', retry: 'safe' },
  switchEventFeed: { method: 'PUT', path: '/v1/ext/event-feed', retry: 'key' },
  listWebhooks: { method: 'GET', path: '/v1/ext/webhook', retry: 'safe' },
  createWebhook: { method: 'POST', path: '/v1/ext/webhook', retry: 'key' },
  getWebhook: { method: 'GET', path: '/v1/ext/webhook/{webhookId}', retry: 'safe' },
  updateWebhook: { method: 'PUT', path: '/v1/ext/webhook/{webhookId}', retry: 'key' },
  deleteWebhook: { method: 'DELETE', path: '/v1/ext/webhook/{webhookId}', retry: 'safe' },
  rotateWebhookSecret: { method: 'POST', path: '/v1/ext/webhook/{webhookId}/rotate-secret', retry: 'key' },
  listWebhookDeliveries: { method: 'GET', path: '/v1/ext/webhook/{webhookId}/delivery', retry: 'safe' },
  testWebhook: { method: 'POST', path: '/v1/ext/webhook/{webhookId}/test', retry: 'never' },
  replayWebhook: { method: 'POST', path: '/v1/ext/webhook/{webhookId}/replay', retry: 'key' },
  listRequests: { method: 'GET', path: '/v1/ext/request', retry: 'safe' },
  getRequest: { method: 'GET', path: '/v1/ext/request/{requestId}', retry: 'safe' },
  getUsage: { method: 'GET', path: '/v1/ext/usage', retry: 'safe' },
  getMe: { method: 'GET', path: '/v1/ext/me', retry: 'safe' },
  listUsers: { method: 'GET', path: '/v1/ext/users', retry: 'safe' },
  getUser: { method: 'GET', path: '/v1/ext/user/{userId}', retry: 'safe' },
  updateUser: { method: 'PUT', path: '/v1/ext/user/{userId}', retry: 'key' },
  listUsersV2: { method: 'GET', path: '/v2/ext/users', retry: 'safe' },
  getUserV2: { method: 'GET', path: '/v2/ext/user/{userId}', retry: 'safe' },
  changeUserAccess: { method: 'PUT', path: '/v1/ext/user/{userId}/access', retry: 'key' },
  createUser: { method: 'POST', path: '/v1/ext/user', retry: 'key' },
  listWaysToSignIn: { method: 'GET', path: '/v1/session/ways', retry: 'safe' },
  signIn: { method: 'POST', path: '/v1/session', retry: 'never' },
  signOut: { method: 'DELETE', path: '/v1/session', retry: 'safe' },
  lookAtSignInLink: { method: 'POST', path: '/v1/session/link', retry: 'never' },
  listSessions: { method: 'GET', path: '/v1/ext/session', retry: 'safe' },
  endSession: { method: 'DELETE', path: '/v1/ext/session/{sessionId}', retry: 'safe' },
  createSignInLink: { method: 'POST', path: '/v1/ext/user/{userId}/sign-in-link', retry: 'key' },
  beginOpenId: { method: 'POST', path: '/v1/session/openid', retry: 'never' },
  answerOpenId: { method: 'POST', path: '/v1/session/openid/answer', retry: 'never' },
  challengeSignIn: { method: 'POST', path: '/v1/session/challenge', retry: 'never' },
  challengePasskey: { method: 'POST', path: '/v1/ext/passkey/challenge', retry: 'safe' },
  addPasskey: { method: 'POST', path: '/v1/ext/passkey', retry: 'key' },
  listPasskeys: { method: 'GET', path: '/v1/ext/passkey', retry: 'safe' },
  deletePasskey: { method: 'DELETE', path: '/v1/ext/passkey/{passkeyId}', retry: 'safe' },
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
      /** With `deep`: when the parts were examined. A result stands for 30 seconds. */
      examinedAt?: number | undefined
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
    query: PutProcedureQuery
    body: PutProcedureBody
    data: Procedure | ProcedureDryRun
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
    query: BulkUpdateProcessesQuery
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
    query: BulkCreateProcessesQuery
    body: BulkCreateProcessesBody
    data: BackgroundJob
    meta: {
      bjEntryCompletionStatusVsCount: EntryCounts
      warnings?: Warning[] | undefined
    }
  }
  /** Upsert processes in bulk */
  bulkUpsertProcesses: {
    path: {
      procedureShortId: string
    }
    query: BulkUpsertProcessesQuery
    body: BulkUpsertProcessesBody
    data: BackgroundJob
    meta: {
      bjEntryCompletionStatusVsCount: EntryCounts
      warnings?: Warning[] | undefined
    }
  }
  /** Schedule a job */
  scheduleJob: {
    query: ScheduleJobQuery
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
  /** Count jobs */
  countJobs: {
    data: JobCount[]
    meta: {
      isComplete: boolean
    }
  }
  /** Send a template in bulk */
  bulkSendTemplateMessage: {
    path: {
      pluginId: string
      procedureShortId: string
    }
    query: BulkSendTemplateMessageQuery
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
      retries?: JobRetries | undefined
      undoneBy?: string | undefined
      appliedBy?: string | undefined
      continuedBy?: string | undefined
      deliveryStatusVsCount?:
        | {
            [member: string]: number
          }
        | undefined
      deliveryFailures?: DeliveryFailure[] | undefined
      isDeliveryCountComplete?: false | undefined
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
  /** List the errors of a job */
  listJobErrors: {
    path: {
      backgroundJobId: string
    }
    query: ListJobErrorsQuery
    data: JobFailures[]
    meta: {
      hasMore: boolean
      next: string | null
      total: number
      failed: number
      grouped: number
      isComplete: boolean
    }
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
  /** Apply a dry run */
  applyJob: {
    path: {
      backgroundJobId: string
    }
    data: BackgroundJob
    meta: {
      bjEntryCompletionStatusVsCount: EntryCounts
      warnings?: Warning[] | undefined
    }
  }
  /** Retry the failed entries */
  retryJob: {
    path: {
      backgroundJobId: string
    }
    body: RetryJobBody
    data: BackgroundJob
    meta: {
      bjEntryCompletionStatusVsCount: EntryCounts
      warnings?: Warning[] | undefined
    }
  }
  /** Undo a job */
  undoJob: {
    path: {
      backgroundJobId: string
    }
    data: BackgroundJob
    meta: {
      bjEntryCompletionStatusVsCount: EntryCounts
      warnings?: Warning[] | undefined
    }
  }
  /** Show the history by id */
  listHistoryById: {
    path: {
      procedureShortId: string
      processId: string
    }
    query: ListHistoryByIdQuery
    data: ProcessHistoryEntry[]
    meta: {
      hasMore: boolean
      next: string | null
      isComplete: boolean
    }
  }
  /** Revert a process by id */
  revertProcessById: {
    path: {
      procedureShortId: string
      processId: string
    }
    body: RevertProcessByIdBody
    data: Process
  }
  /** Show the history by key */
  listHistoryByPrimaryKey: {
    path: {
      procedureShortId: string
      primaryKeyShortId: string
      primaryKeyValue: string
    }
    query: ListHistoryByPrimaryKeyQuery
    data: ProcessHistoryEntry[]
    meta: {
      hasMore: boolean
      next: string | null
      isComplete: boolean
    }
  }
  /** Revert a process by key */
  revertProcessByPrimaryKey: {
    path: {
      procedureShortId: string
      primaryKeyShortId: string
      primaryKeyValue: string
    }
    body: RevertProcessByPrimaryKeyBody
    data: Process
  }
  /** List deleted processes */
  listDeletedProcesses: {
    path: {
      procedureShortId: string
    }
    query: ListDeletedProcessesQuery
    data: DeletedProcess[]
    meta: {
      hasMore: boolean
      next: string | null
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
    query: GetProcessByIdQuery
    data: Process
    meta: {
      blame?:
        | {
            [member: string]: Blame | null
          }
        | undefined
    }
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
    query: DeleteProcessByIdQuery
    data: Process
  }
  /** Fetch a process by key */
  getProcessByPrimaryKey: {
    path: {
      procedureShortId: string
      primaryKeyShortId: string
      primaryKeyValue: string
    }
    query: GetProcessByPrimaryKeyQuery
    data: Process
    meta: {
      blame?:
        | {
            [member: string]: Blame | null
          }
        | undefined
    }
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
  /** List customers, or find one */
  listRecords: {
    query: ListRecordsQuery
    data: Customer[]
    meta: {
      hasMore: boolean
      next: string | null
    }
  }
  /** Create a customer */
  createRecord: {
    body: CreateRecordBody
    data: Customer
  }
  /** Fetch a customer */
  getRecord: {
    path: {
      recordId: string
    }
    data: Customer
    meta: {
      warnings?: Warning[] | undefined
    }
  }
  /** Update a customer */
  updateRecord: {
    path: {
      recordId: string
    }
    body: UpdateRecordBody
    data: Customer
    meta: {
      warnings?: Warning[] | undefined
    }
  }
  /** Erase a customer */
  eraseRecord: {
    path: {
      recordId: string
    }
    query: EraseRecordQuery
    data: ErasedCustomer
  }
  /** List changes of a customer */
  listHistoryOfRecord: {
    path: {
      recordId: string
    }
    query: ListHistoryOfRecordQuery
    data: RecordHistoryEntry[]
    meta: {
      hasMore: boolean
      next: string | null
      isComplete: boolean
    }
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
  /** Merge a customer into another */
  mergeRecord: {
    path: {
      recordId: string
    }
    query: MergeRecordQuery
    body: MergeRecordBody
    data: MergedCustomer
  }
  /** List saved views */
  listSavedViews: {
    query: ListSavedViewsQuery
    data: SavedView[]
  }
  /** Save a view */
  createSavedView: {
    body: CreateSavedViewBody
    data: SavedView
  }
  /** Fetch a saved view */
  getSavedView: {
    path: {
      savedViewId: string
    }
    data: SavedView
  }
  /** Update a saved view */
  updateSavedView: {
    path: {
      savedViewId: string
    }
    body: UpdateSavedViewBody
    data: SavedView
  }
  /** Delete a saved view */
  deleteSavedView: {
    path: {
      savedViewId: string
    }
    data: SavedView
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
  /** Count messages */
  countMessages: {
    query: CountMessagesQuery
    data: MessageCount[]
    meta: {
      hasMore: boolean
      next: string | null
    }
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
  /** Download a received file */
  downloadMessageMedia: {
    path: {
      messageId: string
    }
    data: ReadableStream<Uint8Array>
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
      home: string
      pluginId: string
    }
    query: VerifyWebhookQuery
    data: ReadableStream<Uint8Array>
  }
  /** Receive a webhook */
  receiveWebhook: {
    path: {
      home: string
      pluginId: string
    }
    body: ReceiveWebhookBody
    data: Record<string, never>
  }
  /** Read the event feed */
  listEvents: {
    query: ListEventsQuery
    data: TeamEvent[]
    meta: {
      latest: number
      hasMore: boolean
      next: number
    }
  }
  /** Fetch the event feed */
  getEventFeed: {
    data: EventFeed
  }
  /** Switch the event feed */
  switchEventFeed: {
    body: SwitchEventFeedBody
    data: EventFeed
  }
  /** List webhooks */
  listWebhooks: {
    data: Webhook[]
  }
  /** Create a webhook */
  createWebhook: {
    body: CreateWebhookBody
    data: IssuedWebhook
  }
  /** Fetch a webhook */
  getWebhook: {
    path: {
      webhookId: string
    }
    data: Webhook
  }
  /** Update a webhook */
  updateWebhook: {
    path: {
      webhookId: string
    }
    body: UpdateWebhookBody
    data: Webhook
  }
  /** Delete a webhook */
  deleteWebhook: {
    path: {
      webhookId: string
    }
    data: Webhook
  }
  /** Rotate a signing secret */
  rotateWebhookSecret: {
    path: {
      webhookId: string
    }
    body: RotateWebhookSecretBody
    data: IssuedWebhook
  }
  /** List deliveries */
  listWebhookDeliveries: {
    path: {
      webhookId: string
    }
    query: ListWebhookDeliveriesQuery
    data: WebhookDelivery[]
    meta: {
      hasMore: boolean
      next: string | null
      latest: number
      position: number
      waiting: number
      failingSince: number | null
      heldUntil: number | null
    }
  }
  /** Test a webhook */
  testWebhook: {
    path: {
      webhookId: string
    }
    data: WebhookTest
  }
  /** Replay events */
  replayWebhook: {
    path: {
      webhookId: string
    }
    body: ReplayWebhookBody
    data: WebhookReplay
  }
  /** List requests */
  listRequests: {
    query: ListRequestsQuery
    data: LoggedRequest[]
    meta: {
      hasMore: boolean
      next: string | null
    }
  }
  /** Fetch a request */
  getRequest: {
    path: {
      requestId: string
    }
    data: LoggedRequest
  }
  /** Fetch the usage of a month */
  getUsage: {
    query: GetUsageQuery
    data: Usage
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
  /** Change a user's access */
  changeUserAccess: {
    path: {
      userId: string
    }
    body: ChangeUserAccessBody
    data: SingleUserV1
  }
  /** Create a user */
  createUser: {
    body: CreateUserBody
    data: SingleUserV1
  }
  /** List the ways to sign in */
  listWaysToSignIn: {
    data: WaysToSignIn
  }
  /** Sign in */
  signIn: {
    body: SignInBody
    data: Session
  }
  /** Sign out */
  signOut: {
    data: SignedOut
  }
  /** Look at a sign-in link */
  lookAtSignInLink: {
    body: LookAtSignInLinkBody
    data: {
      /** The team into which the link signs in. */
      team: {
        /** The short id of the team. */
        shortId: string
        /** The name of the team. */
        name: string
      }
      /** The name of the user as whom it signs in, as people see it. */
      user: string
      /** When the link stops working, in epoch milliseconds. */
      expiresAt: number
    }
  }
  /** List sessions */
  listSessions: {
    query: ListSessionsQuery
    data: Session[]
    meta: {
      hasMore: boolean
    }
  }
  /** End a session */
  endSession: {
    path: {
      sessionId: string
    }
    data: Session
  }
  /** Create a sign-in link */
  createSignInLink: {
    path: {
      userId: string
    }
    data: SignInLink
  }
  /** Begin to sign in by OpenID */
  beginOpenId: {
    body: BeginOpenIdBody
    data: OpenIdSignIn
  }
  /** Answer an OpenID sign-in */
  answerOpenId: {
    body: AnswerOpenIdBody
    data: OpenIdPerson
  }
  /** Get a challenge to sign in */
  challengeSignIn: {
    data: SignInChallenge
  }
  /** Get a passkey challenge */
  challengePasskey: {
    data: PasskeyChallenge
  }
  /** Add a passkey */
  addPasskey: {
    body: AddPasskeyBody
    data: Passkey
  }
  /** List passkeys */
  listPasskeys: {
    query: ListPasskeysQuery
    data: Passkey[]
  }
  /** Remove a passkey */
  deletePasskey: {
    path: {
      passkeyId: string
    }
    data: Passkey
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
