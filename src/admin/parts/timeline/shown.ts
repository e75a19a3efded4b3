/** What of a timeline is shown: all of it, or one kind of thing. It stands in the address. */
const TIMELINE_FILTERS = ['changes', 'messages'] as const
export type TimelineFilter = (typeof TIMELINE_FILTERS)[number]

export const readTimelineFilter = (value: unknown): TimelineFilter | undefined =>
  TIMELINE_FILTERS.find(each => each === value)
