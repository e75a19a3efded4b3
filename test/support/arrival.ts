let underWay = 0
/** When the last write was answered. */
let answeredAt = 0
let arriving: Promise<unknown> | undefined

/**
 * Makes a call as from afar: what a caller writes once it has an answer arrives in a later millisecond. Here a call may take
 * less than one, and two processes of one moment have no order.
 */
export async function arrive<Answer>(method: string, call: () => Promise<Answer> | Answer): Promise<Answer> {
  const isRead = method === 'GET' || method === 'HEAD'
  if (!isRead && underWay === 0 && arriving === undefined && Date.now() === answeredAt)
    arriving = scheduler.wait(1).finally(() => (arriving = undefined))
  // Calls that begin together arrive in their order.
  if (arriving !== undefined) await arriving
  underWay += 1
  try {
    return await call()
  } finally {
    underWay -= 1
    if (!isRead) answeredAt = Date.now()
  }
}
