import type { Call, Fault, FaultInjection, Harness, Kind, Message } from './harness.ts'
import { DATABASE_FAULTS, FAULTS } from './injected-bindings.ts'
import type { Random } from './random.ts'

export type CallFault = readonly [kind: Kind, nth: number, fault: Fault]

const listFaults = (kind: Kind): readonly Fault[] => (kind === 'database' ? [...FAULTS, ...DATABASE_FAULTS] : FAULTS)

/** A request waits longer for the database than a test can. */
const endsSoon = ({ kind, trigger }: Call, fault: Fault) =>
  !(kind === 'database' && trigger !== 'message' && fault.startsWith('hangs'))

/** Every fault that can happen to one of the calls that a run has made. */
export const faultsOfCalls = ({ log }: Pick<Harness, 'log'>): CallFault[] =>
  log.flatMap(call =>
    listFaults(call.kind)
      .filter(fault => endsSoon(call, fault))
      .map((fault): CallFault => [call.kind, call.nth, fault]),
  )

export const oneFault = ([kind, nth, fault]: CallFault): FaultInjection => ({
  fault: (called, at) => (called === kind && at === nth ? fault : undefined),
})

export const twice = (messages: Message[]): Message[] => messages.flatMap(message => [message, message])

/** Any calls failing or hanging, messages doubled, lost and shuffled. */
export const randomFaults = (random: Random, probability: number): FaultInjection => ({
  fault: (kind, _, __, call) => {
    if (!random.chance(probability)) return undefined
    const fault = random.pick(listFaults(kind))
    return endsSoon(call, fault) ? fault : 'fails after'
  },
  deliver: messages =>
    messages
      .flatMap(message => (random.chance(0.15) ? [] : random.chance(0.15) ? [message, message] : [message]))
      .sort(() => random.next() - 0.5),
  atOnce: random.chance(0.5),
})
