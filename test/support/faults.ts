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

/** What a call of these kinds is about, a time or an id, says nothing of the line that makes it. */
const OF_ONE_LINE: readonly Kind[] = ['alarm', 'endpoint']

/** Two calls of one shape are the same line of the Worker, in another step or for other rows. */
function getShape({ kind, trigger, sql, about }: Call): string {
  const line = kind === 'database' ? sql.replace(/\d+/g, '') : OF_ONE_LINE.includes(kind) ? '' : about.split(/\W/, 1)[0]
  return [kind, trigger, line].join(' ')
}

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

/**
 * Runs something with each of the faults that `chooseFaults` has chosen, two in a run: one of its first half, one of its
 * second. One that did not happen beside the other has a run of its own, as all have at night.
 */
export async function survivesFaults(
  log: readonly Call[],
  survives: (injection: FaultInjection) => Promise<unknown>,
  isPossible?: (fault: CallFault) => boolean,
): Promise<void> {
  const run = (injection: FaultInjection, faults: readonly CallFault[]) =>
    survives(injection).catch((error: Error) => {
      throw new Error(`seed ${SEED}: ${faults.join(', ')}: ${error.message}`, { cause: error })
    })
  const chosen = chooseFaults(log, isPossible)
  if (IS_CHAOS) {
    for (const fault of chosen) await run(oneFault(fault), [fault])
    return
  }
  const getPlace = ([kind, nth]: CallFault) => log.findIndex(call => call.kind === kind && call.nth === nth)
  const inOrder = chosen.toSorted((one, other) => getPlace(one) - getPlace(other))
  const later = inOrder.splice(Math.ceil(inOrder.length / 2))
  for (const [nth, fault] of inOrder.entries()) {
    const faults = [fault, ...later.slice(nth, nth + 1)]
    const { injection, left } = someFaults(log, faults)
    await run(injection, faults)
    for (const alone of left()) await run(someFaults(log, [alone]).injection, [alone])
  }
}

/** Names a call by its shape and the number of those before it: this stays so where another fault makes other calls more. */
export function callNames(): (call: Call) => string {
  const counts = new Map<string, number>()
  return call => {
    const shape = getShape(call)
    counts.set(shape, (counts.get(shape) ?? 0) + 1)
    return `${counts.get(shape)} ${shape}`
  }
}

/** Faults of one run, and those of them that have not happened. */
function someFaults(log: readonly Call[], faults: readonly CallFault[]) {
  const name = callNames()
  const names = new Map(log.map(call => [`${call.kind} ${call.nth}`, name(call)]))
  const left = new Map(faults.map(each => [names.get(`${each[0]} ${each[1]}`), each]))
  const nameOf = callNames()
  const injection: FaultInjection = {
    fault: (_, __, ___, call) => {
      const called = nameOf(call)
      const happening = left.get(called)
      left.delete(called)
      return happening?.[2]
    },
  }
  return { injection, left: () => [...left.values()] }
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

/** Runs something so many times with faults at random, each time by a seed of its own; at night many more times. */
export async function survivesRandomFaults(
  rounds: number,
  survives: (injection: FaultInjection) => Promise<unknown>,
): Promise<void> {
  for (let seed = SEED; seed < SEED + (IS_CHAOS ? 60 : rounds); seed++)
    await survives(randomFaults(createRandom(seed), 0.15)).catch((error: Error) => {
      throw new Error(`seed ${seed}: ${error.message}`, { cause: error })
    })
}
