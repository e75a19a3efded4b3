/** An offset as people write it: "UTC+05:30" of `+0530`; the name of a zone stays. */
export const formatZone = (zone: string): string => zone.replace(/^([+-]\d{2}):?(\d{2})$/, 'UTC$1:$2')
