/** Marks that turn the direction of what follows: behind one of them `exe.pdf` is read as the end of a name that ends with `fdp.exe`. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g

/** A name that somebody outside of the team has chosen, as it stands in a sentence or before an ending: in the order of its letters. */
export const stripBidi = (name: string): string => name.replace(TURNING, '')
