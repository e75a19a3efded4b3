import { z } from 'zod'
import type { ErrorCode } from '../errors.ts'
import type { Explained } from './explained.ts'

/** The error codes about versions of a process: one that is not kept, and one that is not the present one. */
export const HISTORY_ERRORS = {
  history_expired: {
    title: 'That part of the history is not kept',
    cause:
      'The process was changed since the time or version that was asked for, and what it was before is not kept any more, or was changed before histories were kept.',
    remedy: 'Ask for a later time or version: `version` is the oldest one that is known, and `since` when it was made.',
    retry: 'no',
    example: {
      message: 'the history of the process is kept from version 7 on',
      detail: { version: 7, since: 1795276206000 },
    },
    detail: {
      version: z.int().describe('The oldest version that is known.'),
      since: z.int().describe('When it was made, in epoch milliseconds.'),
    },
  },
  precondition_failed: {
    title: 'The resource has changed',
    cause:
      'The entity tag in `if-match` is not the present one: the process or record has changed since it was fetched.',
    remedy: 'Fetch it again, and send the update with the new `etag`.',
    retry: 'no',
    example: { message: 'the process has changed since', path: '/header/if-match' },
  },
} as const satisfies Partial<Record<ErrorCode, Explained>>
