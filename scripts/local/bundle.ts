import { type BuildOptions, build } from 'esbuild'

/** Bundles a Worker as `wrangler deploy` does: what the runtime brings stays an import. */
export async function bundleWorker(entryPoint: string, options: BuildOptions = {}): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entryPoint],
    bundle: true,
    format: 'esm',
    target: 'es2024',
    external: ['cloudflare:*', 'node:*'],
    conditions: ['workerd', 'worker', 'browser'],
    legalComments: 'none',
    ...options,
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}
