import { wrangler } from './wrangler.ts'

// npm run types: the types of the bindings in wrangler.toml and of the runtime.
wrangler('types', 'src/worker-configuration.d.ts')
