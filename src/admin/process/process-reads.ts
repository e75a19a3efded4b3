import type { OperationId } from 'caseworker'

type Reads = readonly OperationId[]

/** The operations that show one process with its fields. */
export const ONE_PROCESS_READS = [
  'getProcessById',
  'listHistoryById',
  'listNewestProcesses',
  'listProcessesOfRecord',
] as const satisfies Reads

/** The operations that are read again after a change of a process: itself, its lists, and the counts. */
export const PROCESS_READS = [
  ...ONE_PROCESS_READS,
  'listProcesses',
  'listDeletedProcesses',
  'countProcesses',
  'aggregateProcesses',
] as const satisfies Reads
