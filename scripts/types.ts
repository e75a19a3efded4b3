import { readArguments } from './arguments.ts'
import { wrangler } from './wrangler.ts'

readArguments(
  'usage: npm run types\nWrites the types of the bindings in wrangler.toml and of the runtime (src/worker-configuration.d.ts).',
)
wrangler('types', 'src/worker-configuration.d.ts')
