import { defineConfig } from 'vitest/config'

export default defineConfig({ test: { projects: ['test/vitest.api.config.ts', 'test/whatsapp/vitest.config.ts'] } })
