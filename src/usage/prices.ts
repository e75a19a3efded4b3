/** Cloudflare's published prices on the paid plan, in dollars, without what a plan includes. */
export const PRICES = {
  request: 0.3e-6,
  cpuMs: 0.02e-6,
  rowRead: 0.001e-6,
  rowWritten: 1e-6,
  /** The three operations of a message: it is written, read and deleted. */
  queueMessage: 3 * 0.4e-6,
  objectCall: 0.15e-6,
  /** A Durable Object is billed as 128 MB for as long as it works or waits for somebody. */
  objectSecond: 0.128 * 12.5e-6,
  logLine: 0.6e-6,
  databaseByteMonth: 0.75e-9,
  fileWrite: 4.5e-6,
  fileRead: 0.36e-6,
  fileByteMonth: 0.015e-9,
} as const

/** Estimates of what no request has measured, by the figures of the guide about costs. */
export const ESTIMATES = {
  cpuMsOfRequest: 2,
  /** An entry of a job costs from 2 (an update) to 8 dollars a million (a create). */
  jobEntry: 5e-6,
  /** The provider reports about one message in two or three requests. */
  reportsOfMessage: 2.5 * 2.55e-6,
  /** The cost of an event that is delivered alone. Of many together each costs a hundredth. */
  webhookDelivery: 4.7e-6,
} as const
