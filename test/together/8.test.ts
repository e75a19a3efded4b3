import { together } from './together.ts'

together(8)
