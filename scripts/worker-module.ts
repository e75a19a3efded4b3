import { build } from 'esbuild'

/** Bundles modules of the Worker for Node, without the Worker's runtime, and imports what they export. */
export async function importFromWorker<Exports>(contents: string): Promise<Exports> {
  const bundled = await build({
    stdin: { contents, resolveDir: '.', loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    plugins: [
      {
        name: 'runtime',
        setup(building) {
          building.onResolve({ filter: /^cloudflare:/ }, ({ path }) => ({ path, namespace: 'runtime' }))
          building.onLoad({ filter: /./, namespace: 'runtime' }, () => ({ contents: 'export class DurableObject {}' }))
        },
      },
    ],
  })
  const code = Buffer.from(bundled.outputFiles[0]?.contents ?? []).toString('base64')
  return (await import(`data:text/javascript;base64,${code}`)) as Exports
}
