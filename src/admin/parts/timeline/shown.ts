/** The filter of a timeline, by kind of event, in the address. */
const TIMELINE_FILTERS = ['changes', 'messages'] as const
export type TimelineFilter = (typeof TIMELINE_FILTERS)[number]

export const readTimelineFilter = (value: unknown): TimelineFilter | undefined =>
  TIMELINE_FILTERS.find(each => each === value)
