import type { Procedure } from 'caseworker'
import { useId } from 'react'
import { planStateWays, type StateLane } from './state-lanes.ts'

const BOX = { width: 168, height: 34 }
const ROW_PX = 58
const LANE_PX = 13
const EDGE_PX = 14
const CORNER_PX = 6
/** Ways leave a state below its middle, and arrive above it. */
const APART_PX = 7
const NAME_LENGTH_MAX = 22

const LINE = 'fill-none stroke-ink-3'

/** The states one below the other in their order, and the ways between them: forward at the right, back at the left. */
export function StateGraph({ procedure }: { procedure: Procedure }) {
  const arrow = useId()
  const { states, startState, completedState, name } = procedure
  const { straight, forward, back } = planStateWays(states)
  const getWidth = (lanes: readonly StateLane[]) =>
    lanes.length === 0 ? EDGE_PX / 2 : EDGE_PX + (Math.max(...lanes.map(({ lane }) => lane)) + 1) * LANE_PX
  const left = getWidth(back)
  const right = left + BOX.width
  const size = { width: right + getWidth(forward), height: states.length * ROW_PX - (ROW_PX - BOX.height) + 4 }
  const getMiddle = (place: number) => 2 + place * ROW_PX + BOX.height / 2
  const head = `url(#${arrow})`
  return (
    <section
      aria-label="Drawing of the states"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
      tabIndex={0}
      className="max-w-full overflow-x-auto"
    >
      <svg {...size} viewBox={`0 0 ${size.width} ${size.height}`} role="img" className="mx-auto block">
        <title>{`The states of ${name}, and which may follow which; the list has the same`}</title>
        <defs>
          <marker id={arrow} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0 8 4 0 8Z" className="fill-ink-3" />
          </marker>
        </defs>
        {straight.map(place => (
          <path
            key={place}
            d={`M${left + BOX.width / 2} ${getMiddle(place) + BOX.height / 2}V${getMiddle(place + 1) - BOX.height / 2 - 1}`}
            className={LINE}
            markerEnd={head}
          />
        ))}
        {forward.flatMap(way =>
          way.to.map(to => (
            <path
              key={`${way.from} ${to}`}
              d={buildPath({ side: right, outwards: 1, lane: way.lane, from: getMiddle(way.from), to: getMiddle(to) })}
              className={LINE}
              markerEnd={head}
            />
          )),
        )}
        {back.flatMap(way =>
          way.to.map(to => (
            <path
              key={`${way.from} ${to}`}
              d={buildPath({ side: left, outwards: -1, lane: way.lane, from: getMiddle(way.from), to: getMiddle(to) })}
              className={LINE}
              markerEnd={head}
            />
          )),
        )}
        {states.map((state, place) => (
          <StateBox
            key={state.shortId}
            x={left}
            y={getMiddle(place) - BOX.height / 2}
            name={state.name}
            isStart={state.shortId === startState}
            isCompleted={state.shortId === completedState}
          />
        ))}
      </svg>
    </section>
  )
}

/** Out of the side of a state, along its lane, and into the side of another. */
interface Arrow {
  side: number
  outwards: 1 | -1
  lane: number
  from: number
  to: number
}

function buildPath({ side, outwards, lane, from, to }: Arrow): string {
  const x = side + outwards * (EDGE_PX + lane * LANE_PX)
  const down = Math.sign(to - from)
  const [start, end] = [from + APART_PX, to - APART_PX]
  const corner = CORNER_PX * outwards
  return [
    `M${side} ${start}H${x - corner}Q${x} ${start} ${x} ${start + down * CORNER_PX}`,
    `V${end - down * CORNER_PX}Q${x} ${end} ${x - corner} ${end}H${side + outwards}`,
  ].join('')
}

interface StateBoxProps {
  x: number
  y: number
  name: string
  isStart: boolean
  isCompleted: boolean
}

function StateBox({ x, y, name, isStart, isCompleted }: StateBoxProps) {
  const shown = name.length > NAME_LENGTH_MAX ? `${name.slice(0, NAME_LENGTH_MAX - 1)}…` : name
  return (
    <g>
      <rect
        x={x}
        y={y}
        width={BOX.width}
        height={BOX.height}
        rx={isStart ? BOX.height / 2 : 6}
        className={isStart || isCompleted ? 'fill-accent-soft stroke-accent' : 'fill-surface stroke-line-strong'}
      />
      {isCompleted && (
        <rect
          x={x + 3}
          y={y + 3}
          width={BOX.width - 6}
          height={BOX.height - 6}
          rx={isStart ? BOX.height / 2 - 3 : 4}
          className="fill-none stroke-accent"
        />
      )}
      <text
        x={x + BOX.width / 2}
        y={y + BOX.height / 2}
        textAnchor="middle"
        dominantBaseline="central"
        className="fill-ink text-[12.5px] font-medium"
      >
        {shown}
      </text>
    </g>
  )
}
