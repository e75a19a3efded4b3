import fc from 'fast-check'
import { SEED_OF_THE_SUITE } from '../support/suite-seed.ts'

// `npm test` makes the same random choices each time.
fc.configureGlobal({ seed: SEED_OF_THE_SUITE })
