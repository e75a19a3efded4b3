/**
 * Characters that turn the direction of the text after them: behind one of them `exe.pdf` is read as the end of a name
 * that ends with `fdp.exe`.
 */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g

/** Removes such characters from a name that somebody outside of the team has chosen, before it stands in a sentence. */
export const stripBidi = (name: string): string => name.replace(TURNING, '')
