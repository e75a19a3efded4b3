/** The measured units. */
export type Unit =
  | 'fetch'
  | 'list'
  | 'create'
  | 'keyedCreate'
  | 'update'
  | 'keyedUpdate'
  | 'createdEntry'
  | 'updatedEntry'
  | 'message'
  | 'sentEntry'
  | 'statusWebhook'
  | 'delivery'
  | 'deliveryOfMany'

export interface TypicalTeam {
  name: string
  about: string
  /** The number of each in a month. */
  units: Partial<Record<Unit, number>>
}

/** Three teams after a year: what they have stored by then is paid for each month, too. */
export const TEAMS: TypicalTeam[] = [
  {
    name: 'a clinic',
    about: '3,000 new cases with customers, 15,000 updates, 60,000 reads, 6,000 single messages',
    units: { keyedCreate: 3_000, update: 15_000, fetch: 40_000, list: 20_000, message: 6_000, statusWebhook: 18_000 },
  },
  {
    name: 'a sales team',
    about: '100,000 leads imported, 500,000 updates, 2 million reads, 100,000 messages in bulk',
    units: {
      createdEntry: 100_000,
      keyedUpdate: 500_000,
      fetch: 1_500_000,
      list: 500_000,
      sentEntry: 100_000,
      statusWebhook: 300_000,
    },
  },
  {
    name: 'a marketplace',
    about: '200,000 orders, 1 million updates, 5 million reads, 1 million bulk updates, 200,000 messages in bulk',
    units: {
      keyedCreate: 200_000,
      keyedUpdate: 1_000_000,
      updatedEntry: 1_000_000,
      fetch: 4_000_000,
      list: 1_000_000,
      sentEntry: 200_000,
      statusWebhook: 600_000,
    },
  },
]
