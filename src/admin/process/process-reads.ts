import type { OperationId } from 'caseworker'

type Reads = readonly OperationId[]

/** Where one process is shown with what it holds. */
export const ONE_PROCESS_READS = [
  'getProcessById',
  'listHistoryById',
  'listNewestProcesses',
  'listProcessesOfRecord',
] as const satisfies Reads

/** What is read again after a change of a process: itself, the lists that it is in, and what is counted. */
export const PROCESS_READS = [
  ...ONE_PROCESS_READS,
  'listProcesses',
  'listDeletedProcesses',
  'countProcesses',
  'aggregateProcesses',
] as const satisfies Reads
