import type { PlannedAction } from './plan.ts'

/** What a plan says of the entries of an action: `5 would be created`. */
export const ACTION_WORDS = {
  create: 'created',
  update: 'changed',
  same: 'given the values that they have',
  delete: 'deleted',
  restore: 'restored',
  send: 'sent',
  none: 'left unchanged',
} as const satisfies Record<PlannedAction, string>
