import type { Procedure } from 'caseworker'

type Attribute = Procedure['attributes'][number]

export const attribute = (shortId: string, more: Partial<Attribute> = {}): Attribute => ({
  shortId,
  name: shortId,
  type: 'string',
  required: false,
  indexed: false,
  ...more,
})

/** A definition as the API shows it. */
export const definition = (more: Partial<Procedure> = {}): Procedure => ({
  id: '01a8c0de-0000-7000-8000-000000000001',
  shortId: 'lead',
  name: 'Lead',
  states: [
    { shortId: 'OPEN', name: 'Open' },
    { shortId: 'DONE', name: 'Done' },
  ],
  startState: 'OPEN',
  completedState: 'DONE',
  attributes: [
    attribute('lead_id', { name: 'Lead', required: true, indexed: true }),
    attribute('city', { name: 'City' }),
    attribute('score', { name: 'Score', type: 'integer' }),
  ],
  primaryKey: 'lead_id',
  phoneAttribute: null,
  strict: false,
  createdAt: 0,
  updatedAt: 0,
  ...more,
})
