import type { AttributeType, Procedure } from '../../src/procedure/model.ts'

export const attribute = (shortId: string, type: AttributeType, indexed = false) => ({
  shortId,
  name: shortId,
  type,
  required: false,
  indexed,
})

/** A procedure with an attribute of every kind: `city`, `value` and `hot` are served by slots, `due` is not yet. */
export const LEADS: Procedure = {
  no: 1,
  id: '018f0000-0000-7000-8000-000000000001',
  shortId: 'leads',
  name: 'Leads',
  version: 4,
  createdAt: 0,
  updatedAt: 0,
  startState: 'new',
  completedState: 'won',
  phoneAttribute: null,
  strict: false,
  states: ['new', 'visit', 'won'].map(shortId => ({ shortId, name: shortId })),
  attributes: [
    ...[attribute('number', 'string', true), attribute('city', 'string', true), attribute('value', 'float', true)],
    ...[attribute('hot', 'boolean', true), attribute('due', 'date', true), attribute('score', 'integer')],
    ...[attribute('tags', 'multiString'), attribute('sizes', 'multiIntegerEnum'), attribute('place', 'geolocation')],
  ],
  primaryKey: 'number',
  slots: {
    city: { column: 1, ready: true },
    value: { column: 2, ready: true },
    hot: { column: 3, ready: true },
    due: { column: 4, ready: false },
  },
}
