import { together } from './together.ts'

together(2)
