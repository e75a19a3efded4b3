/** The distances and sizes of everything. All times are milliseconds. */
export interface FarOptions {
  /** A round trip to the database, without the work that it does there. */
  databaseMs: number
  /**
   * A round trip to the nearest replica, which sessions may read, and how long after a commit that has it. Infinite: there
   * is none.
   */
  replicaMs: number
  replicaLagMs: number
  /** The cost of a transaction for the database, which runs one at a time: one that reads, and one that writes. */
  readMs: number
  writeMs: number
  /** And how many rows it reads or writes in a millisecond. A scan makes everybody wait. */
  rowsReadPerMs: number
  rowsWrittenPerMs: number
  /** A transaction that takes longer resets the database. */
  transactionMsMax: number
  /**
   * The number of transactions that may wait for the database, and their time limit. Cloudflare publishes no figures.
   */
  databaseQueueMax: number
  databaseQueueMs: number
  /** The size that the database reports; 0 for the real one. */
  databaseBytes: number
  /** Calls to Durable Objects, the provider, queues and R2. */
  objectMs: number
  providerMs: number
  queueMs: number
  mediaMs: number
  /** Statements that one invocation may run; each of a batch counts. */
  statementsMax: number
  /** Connections of one invocation that may wait for a response at the same time. One more waits for its turn. */
  connectionsMax: number
}

/** The limits of Cloudflare, and no distance at all. */
export const HERE: FarOptions = {
  databaseMs: 0,
  replicaMs: 0,
  replicaLagMs: 0,
  readMs: 0,
  writeMs: 0,
  rowsReadPerMs: Number.POSITIVE_INFINITY,
  rowsWrittenPerMs: Number.POSITIVE_INFINITY,
  transactionMsMax: 30_000,
  databaseQueueMax: Number.POSITIVE_INFINITY,
  databaseQueueMs: Number.POSITIVE_INFINITY,
  databaseBytes: 0,
  objectMs: 0,
  providerMs: 0,
  queueMs: 0,
  mediaMs: 0,
  statementsMax: 1_000,
  connectionsMax: 6,
}

/** An installation on the same continent as its database. */
export const FAR: FarOptions = {
  ...HERE,
  databaseMs: 20,
  replicaMs: Number.POSITIVE_INFINITY,
  replicaLagMs: 50,
  readMs: 0.5,
  writeMs: 3,
  rowsReadPerMs: 500,
  rowsWrittenPerMs: 20,
  databaseQueueMax: 500,
  databaseQueueMs: 10_000,
  objectMs: 20,
  providerMs: 300,
  queueMs: 20,
  mediaMs: 30,
}
