/** What of a timeline is shown: all of it, or one kind of thing. It stands in the address. */
const SHOWN_KINDS = ['changes', 'messages'] as const
export type TimelineFilter = (typeof SHOWN_KINDS)[number]

export const shownKindIn = (value: unknown): TimelineFilter | undefined => SHOWN_KINDS.find(each => each === value)
