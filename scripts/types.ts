import { wrangler } from './wrangler.ts'

// npm run types: the bindings of wrangler.toml and the runtime, as TypeScript sees them.
wrangler('types', 'src/worker-configuration.d.ts')
