import type { Chance } from './chance.ts'
import { type Interference, type Kind, type Message, MISHAPS, type Mishap, type Stage } from './stage.ts'

/** The calls that accept a job wait longer than a test can, where they hang. */
export const ACCEPTANCE_CALLS = 3

export type Fault = readonly [kind: Kind, nth: number, mishap: Mishap]

/** Everything that can befall one of the calls that a run has made. */
export const faultsOf = ({ calls }: Pick<Stage, 'calls'>): Fault[] =>
  (Object.entries(calls) as [Kind, number][])
    .flatMap(([kind, count]) =>
      Array.from({ length: count }, (_, nth) => nth + 1).flatMap(nth =>
        MISHAPS.map((mishap): Fault => [kind, nth, mishap]),
      ),
    )
    .filter(([kind, nth, mishap]) => !(kind === 'database' && nth <= ACCEPTANCE_CALLS && mishap.startsWith('hangs')))

export const only = ([kind, nth, mishap]: Fault): Interference => ({
  mishap: (its, at) => (its === kind && at === nth ? mishap : undefined),
})

export const twice = (messages: Message[]): Message[] => messages.flatMap(message => [message, message])

/** Any calls failing or hanging, messages doubled, lost and shuffled. */
export const anything = (by: Chance, probability: number): Interference => ({
  mishap: (kind, nth) => {
    if (!by.is(probability)) return undefined
    const any = by.pick(MISHAPS)
    return kind === 'database' && nth <= ACCEPTANCE_CALLS * 3 && any.startsWith('hangs') ? 'fails after' : any
  },
  deliver: messages =>
    messages
      .flatMap(message => (by.is(0.15) ? [] : by.is(0.15) ? [message, message] : [message]))
      .sort(() => by.next() - 0.5),
  atOnce: by.is(0.5),
})
