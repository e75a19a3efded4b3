// npm run bench [-- processes | jobs | overhead] [--options]: each is a file of this folder.
const [name = 'processes'] = process.argv.slice(2).filter(argument => !argument.startsWith('--'))
await import(`./${name}.ts`)
