import type { Fault, FaultInjection, Harness, Kind, Message } from './harness.ts'
import { DATABASE_FAULTS, FAULTS } from './injected-bindings.ts'
import type { Random } from './random.ts'

/** The calls that accept a job wait longer than a test can, where they hang. */
export const ACCEPTANCE_CALLS = 3

export type CallFault = readonly [kind: Kind, nth: number, fault: Fault]

const faultsOf = (kind: Kind): readonly Fault[] => (kind === 'database' ? [...FAULTS, ...DATABASE_FAULTS] : FAULTS)

/** Every fault that can happen to one of the calls that a run has made. */
export const faultsOfCalls = ({ calls }: Pick<Harness, 'calls'>): CallFault[] =>
  (Object.entries(calls) as [Kind, number][])
    .flatMap(([kind, count]) =>
      Array.from({ length: count }, (_, nth) => nth + 1).flatMap(nth =>
        faultsOf(kind).map((fault): CallFault => [kind, nth, fault]),
      ),
    )
    .filter(([kind, nth, fault]) => !(kind === 'database' && nth <= ACCEPTANCE_CALLS && fault.startsWith('hangs')))

export const oneFault = ([kind, nth, fault]: CallFault): FaultInjection => ({
  fault: (called, at) => (called === kind && at === nth ? fault : undefined),
})

export const twice = (messages: Message[]): Message[] => messages.flatMap(message => [message, message])

/** Any calls failing or hanging, messages doubled, lost and shuffled. */
export const randomFaults = (random: Random, probability: number): FaultInjection => ({
  fault: (kind, nth) => {
    if (!random.chance(probability)) return undefined
    const any = random.pick(faultsOf(kind))
    return kind === 'database' && nth <= ACCEPTANCE_CALLS * 3 && any.startsWith('hangs') ? 'fails after' : any
  },
  deliver: messages =>
    messages
      .flatMap(message => (random.chance(0.15) ? [] : random.chance(0.15) ? [message, message] : [message]))
      .sort(() => random.next() - 0.5),
  atOnce: random.chance(0.5),
})
