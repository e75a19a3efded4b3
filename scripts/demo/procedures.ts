import type { PutProcedure } from '../../src/procedure/schema.ts'

type Attribute = PutProcedure['attributes'][number]

const attribute = (
  shortId: string,
  name: string,
  type: Attribute['type'],
  more: Partial<Attribute> = {},
): Attribute => ({ shortId, name, type, required: false, indexed: false, ...more })
const state = (shortId: string, name: string, ...next: string[]) => ({ shortId, name, next })
/** A state in which a process ends. */
const end = (status: 'COMPLETED' | 'CANCELLED', shortId: string, name: string, ...next: string[]) => ({
  ...state(shortId, name, ...next),
  status,
  startsHere: false,
})

const INDEXED = { indexed: true }
const SEARCHABLE = { searchable: true }

/**
 * The procedures of the demo team, which has worked on them for months: a company that puts solar panels on roofs. The
 * examples use others.
 */
export const PROCEDURES = {
  enquiry: {
    name: 'Enquiry',
    startState: 'NEW',
    completedState: 'WON',
    primaryKey: 'enquiry_id',
    phoneAttribute: 'phone_number',
    strict: false,
    states: [
      state('NEW', 'New', 'CONTACTED', 'LOST'),
      state('CONTACTED', 'Contacted', 'QUALIFIED', 'LOST'),
      state('QUALIFIED', 'Qualified', 'OFFER_SENT', 'LOST'),
      state('OFFER_SENT', 'Offer sent', 'NEGOTIATION', 'WON', 'LOST'),
      state('NEGOTIATION', 'In negotiation', 'OFFER_SENT', 'WON', 'LOST'),
      end('COMPLETED', 'WON', 'Won'),
      end('CANCELLED', 'LOST', 'Lost', 'NEW'),
    ],
    attributes: [
      attribute('enquiry_id', 'Enquiry id', 'string', { required: true }),
      attribute('name', 'Name', 'name', { required: true, ...SEARCHABLE }),
      attribute('phone_number', 'Phone number', 'phone', INDEXED),
      attribute('email', 'E-mail', 'email'),
      attribute('city', 'City', 'string', { ...INDEXED, ...SEARCHABLE }),
      attribute('country', 'Country', 'string', INDEXED),
      attribute('source', 'Source', 'stringEnum', {
        ...INDEXED,
        values: ['website', 'referral', 'campaign', 'trade_fair', 'partner', 'walk_in'],
      }),
      attribute('product', 'Product', 'stringEnum', {
        ...INDEXED,
        values: ['rooftop_3kw', 'rooftop_5kw', 'rooftop_10kw', 'commercial'],
      }),
      attribute('interests', 'Interests', 'multiStringEnum', {
        ...INDEXED,
        values: ['battery', 'ev_charger', 'maintenance', 'financing'],
      }),
      attribute('score', 'Score', 'integer', INDEXED),
      attribute('amount', 'Amount', 'float', INDEXED),
      attribute('currency', 'Currency', 'string'),
      attribute('expected_close', 'Expected close', 'date', INDEXED),
      attribute('lost_reason', 'Lost because', 'stringEnum', {
        ...INDEXED,
        values: ['price', 'competitor', 'no_response', 'roof_unsuitable', 'postponed'],
      }),
      attribute('notes', 'Notes', 'text', SEARCHABLE),
    ],
  },
  service_request: {
    name: 'Service request',
    startState: 'OPENED',
    completedState: 'SOLVED',
    primaryKey: 'request_id',
    phoneAttribute: 'phone_number',
    strict: true,
    states: [
      state('OPENED', 'Opened', 'ASSIGNED', 'SOLVED'),
      state('ASSIGNED', 'Assigned', 'WAITING', 'ESCALATED', 'SOLVED'),
      state('WAITING', 'Waiting for the customer', 'ASSIGNED', 'SOLVED'),
      state('ESCALATED', 'Escalated', 'ASSIGNED', 'SOLVED'),
      end('COMPLETED', 'SOLVED', 'Solved', 'ASSIGNED'),
    ],
    attributes: [
      attribute('request_id', 'Request id', 'integer', { required: true }),
      attribute('subject', 'Subject', 'string', { required: true, ...SEARCHABLE }),
      attribute('category', 'Category', 'stringEnum', {
        ...INDEXED,
        values: ['inverter', 'panels', 'battery', 'app', 'billing', 'other'],
      }),
      attribute('priority', 'Priority', 'integerEnum', { ...INDEXED, values: [1, 2, 3, 4] }),
      attribute('name', 'Name', 'name', SEARCHABLE),
      attribute('phone_number', 'Phone number', 'phone', INDEXED),
      attribute('city', 'City', 'string', INDEXED),
      attribute('serial_number', 'Serial number', 'string', SEARCHABLE),
      attribute('due', 'Due', 'datetime', INDEXED),
      attribute('resolution', 'Resolution', 'text', SEARCHABLE),
      attribute('satisfaction', 'Satisfaction', 'integerEnum', { ...INDEXED, values: [1, 2, 3, 4, 5] }),
    ],
  },
  site_visit: {
    name: 'Site visit',
    startState: 'PLANNED',
    completedState: 'DONE',
    primaryKey: 'visit_id',
    phoneAttribute: 'phone_number',
    strict: false,
    states: [
      state('PLANNED', 'Planned', 'CONFIRMED', 'NOBODY_HOME', 'DONE'),
      state('CONFIRMED', 'Confirmed', 'ON_THE_WAY', 'NOBODY_HOME', 'DONE'),
      state('ON_THE_WAY', 'On the way', 'DONE', 'NOBODY_HOME'),
      end('COMPLETED', 'DONE', 'Done'),
      state('NOBODY_HOME', 'Nobody home', 'PLANNED'),
    ],
    attributes: [
      attribute('visit_id', 'Visit id', 'string', { required: true }),
      attribute('purpose', 'Purpose', 'stringEnum', { ...INDEXED, values: ['survey', 'installation', 'repair'] }),
      attribute('name', 'Name', 'name', SEARCHABLE),
      attribute('phone_number', 'Phone number', 'phone', INDEXED),
      attribute('address', 'Address', 'text', SEARCHABLE),
      attribute('city', 'City', 'string', INDEXED),
      attribute('place', 'Place', 'geolocation'),
      attribute('day', 'Day', 'date', INDEXED),
      attribute('slot', 'Time of day', 'stringEnum', { values: ['morning', 'afternoon', 'evening'] }),
      attribute('result', 'Result', 'text', SEARCHABLE),
    ],
  },
} as const satisfies Record<string, PutProcedure>

export type DemoProcedure = keyof typeof PROCEDURES
