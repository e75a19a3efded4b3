import { together } from './together.ts'

together(7)
