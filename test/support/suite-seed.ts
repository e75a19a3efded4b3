/** The seed of every random choice of `npm test`, in the Worker's tests and in those of the pages. */
export const SEED_OF_THE_SUITE = 20_261_122
