// Each call of a check uses a connection of its own. Node closes one that was idle after four to five seconds, the
// local server after five: a call at that moment failed, though nothing was wrong.
const DISPATCHER = Symbol.for('undici.globalDispatcher.1')
const shared = globalThis as unknown as Record<symbol | 'FormData', object>
// The first use of any of these loads Node's client, and its dispatcher with it.
void shared.FormData
const Agent = shared[DISPATCHER]?.constructor as new (options: { pipelining: number }) => object
shared[DISPATCHER] = new Agent({ pipelining: 0 })
