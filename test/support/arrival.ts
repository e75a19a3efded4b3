let underWay = 0
let latestAt = 0
let arriving: Promise<unknown> | undefined

/**
 * Makes a call as from afar: what a caller sends once it has an answer arrives in a later millisecond. Here a call may take less
 * than one, and two processes of one moment have no order.
 */
export async function arrive<Answer>(call: () => Promise<Answer> | Answer): Promise<Answer> {
  if (underWay === 0 && arriving === undefined && Date.now() === latestAt)
    arriving = scheduler.wait(1).finally(() => (arriving = undefined))
  // Calls that begin together arrive in their order.
  if (arriving !== undefined) await arriving
  latestAt = Date.now()
  underWay += 1
  try {
    return await call()
  } finally {
    underWay -= 1
  }
}
