import type { OperationId } from 'caseworker'

/** What a change of a plugin makes old. */
export const PLUGIN_READS = [
  'listPlugins',
  'getPlugin',
  'getConfig',
  'listTemplates',
] as const satisfies readonly OperationId[]
