import { env } from 'cloudflare:workers'
import { limitRows } from './platform/rows.ts'

await limitRows(env.DB)
