// npm run bench -- jobs: runs bench/jobs.ts.
const [name = ''] = process.argv.slice(2)
await import(`./${name}.ts`)
