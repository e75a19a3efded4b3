/** The account that exists without set-up, so that a demo team can be seeded with what the emulator already knows. */
export const LOCAL_ACCOUNT = {
  id: '100000000000001',
  accessToken: 'local-access-token',
  appSecret: 'local-app-secret',
  verifyToken: 'local-verify-token',
  phoneNumbers: [{ id: '200000000000001', displayNumber: '15550000001' }],
}

/** Meta's limits of a new phone number: 80 messages a second, and to one user 45 at once, 6 s of debt for each. */
export const LIMITS = { throughputPerSecond: 80, pairBurst: 45, pairIntervalMs: 6_000 }

/** The time from acceptance to each status: slow enough to be watched, quick enough not to be waited for. */
export const DELAYS_MS = { sent: 300, delivered: 1_500, read: 4_000 }

export const WEBHOOK_MODES = {
  /** The number of further times that each is sent. */
  duplicates: 0,
  /** The statuses of a message arrive in a random order; their timestamps tell the true one. */
  shuffle: false,
  /** Every n-th is never sent; 0 loses none. */
  loseEvery: 0,
  /** Statuses in one request at most. */
  batch: 1,
  /** True sends nothing until `POST /control/webhooks/flush`. */
  hold: false,
  retryDelaysMs: [1_000, 4_000, 16_000],
  timeoutMs: 10_000,
}

/**
 * The time for which a response that never comes keeps its caller waiting, when the caller does not give up earlier.
 */
export const HANG_MS = 120_000
