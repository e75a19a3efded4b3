// npm run bench [-- processes | jobs | overhead] [--options]: each is a file of this folder.
if (process.argv.some(argument => argument === '--help' || argument === '-h')) {
  console.log(
    'usage: npm run bench -- [processes | jobs | overhead] [--<option>=<value>]…\nEach is a file of bench/, which names its options.',
  )
  process.exit(0)
}
const [name = 'processes'] = process.argv.slice(2).filter(argument => !argument.startsWith('--'))
await import(`./${name}.ts`)
