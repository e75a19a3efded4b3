import type { Call, Fault, FaultInjection, Kind, Message } from './harness.ts'
import { DATABASE_FAULTS, FAULTS } from './injected-bindings.ts'
import { createRandom, type Random } from './random.ts'
import { IS_CHAOS, SEED } from './seed.ts'

export type CallFault = readonly [kind: Kind, nth: number, fault: Fault]

const listFaults = (kind: Kind): readonly Fault[] => (kind === 'database' ? [...FAULTS, ...DATABASE_FAULTS] : FAULTS)

/** A request waits longer for the database than a test can. */
const endsSoon = ({ kind, trigger }: Call, fault: Fault) =>
  !(kind === 'database' && trigger !== 'message' && fault.startsWith('hangs'))

/** Every fault that can happen to one of the calls that a run has made. */
export const faultsOfCalls = ({ log }: { log: readonly Call[] }): CallFault[] =>
  log.flatMap(call =>
    listFaults(call.kind)
      .filter(fault => endsSoon(call, fault))
      .map((fault): CallFault => [call.kind, call.nth, fault]),
  )

/** Two calls of one shape are the same line of the Worker, in another step or for other rows. */
const getShape = ({ kind, trigger, sql, about }: Call) =>
  [kind, trigger, kind === 'database' ? sql.replace(/\d+/g, '') : about.split(/\W/, 1)[0]].join(' ')

/**
 * Chooses a call of each shape: no line that calls something is left out, and each is a run of its own. At night every call.
 */
export function chooseCalls(log: readonly Call[]): readonly Call[] {
  const random = createRandom(SEED)
  return IS_CHAOS ? log : [...Map.groupBy(log, getShape).values()].map(calls => random.pick(calls))
}

/** Chooses a fault of a call of each shape; at night every fault of every call. */
export function chooseFaults(
  log: readonly Call[],
  isPossible: (fault: CallFault) => boolean = () => true,
): readonly CallFault[] {
  const random = createRandom(SEED)
  const possible = [...Map.groupBy(log, getShape).values()]
    .map(calls => faultsOfCalls({ log: calls }).filter(isPossible))
    .filter(faults => faults.length > 0)
  const chosen = IS_CHAOS ? possible.flat() : possible.map(faults => random.pick(faults))
  console.log(`seed ${SEED}: ${chosen.length} of ${possible.flat().length} faults of ${log.length} calls`)
  return chosen
}

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
