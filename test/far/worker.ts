import { startIsolate } from 'caseworker:isolate'
import { getPlatform } from './current.ts'
import { farBindings } from './platform/bindings.ts'

// The Worker that is deployed far away: what `src/index.ts` exports, with its bindings wrapped.

const isolate = startIsolate()

export class JobProgress extends isolate.JobProgress {
  constructor(context: DurableObjectState, env: Env) {
    super(context, farBindings(getPlatform(), 'object', env))
  }
}

export class NumberRateLimiter extends isolate.NumberRateLimiter {
  constructor(context: DurableObjectState, env: Env) {
    super(context, farBindings(getPlatform(), 'object', env))
  }
}

export class TeamBudget extends isolate.TeamBudget {
  constructor(context: DurableObjectState, env: Env) {
    super(context, farBindings(getPlatform(), 'object', env))
  }
}

export class DatabaseContention extends isolate.DatabaseContention {
  constructor(context: DurableObjectState, env: Env) {
    super(context, farBindings(getPlatform(), 'object', env))
  }
}

export class MessageSender extends isolate.MessageSender {
  constructor(context: DurableObjectState, env: Env) {
    super(context, farBindings(getPlatform(), 'object', env))
  }
}

export class WebhookEndpoint extends isolate.WebhookEndpoint {
  constructor(context: DurableObjectState, env: Env) {
    super(context, farBindings(getPlatform(), 'object', env))
  }
}

export class DueActions extends isolate.DueActions {
  constructor(context: DurableObjectState, env: Env) {
    super(context, farBindings(getPlatform(), 'object', env))
  }
}

export class TeamEvents extends isolate.TeamEvents {
  constructor(context: DurableObjectState, env: Env) {
    super(context, farBindings(getPlatform(), 'object', env))
  }
}

export default isolate.default
