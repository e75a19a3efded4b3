// Runs the modules of a folder, one after another in one process, and prints how each ended as a line of JSON.
import { readdirSync, writeSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const [folder] = process.argv.slice(2)
for (const name of readdirSync(folder).sort()) {
  if (!/\.m?js$/.test(name)) continue
  const printed = []
  console.log = (...values) => printed.push(values)
  const ended = await import(pathToFileURL(path.resolve(folder, name))).then(
    () => null,
    error => String(error),
  )
  writeSync(1, `${JSON.stringify({ name: name.replace(/\.\w+$/, ''), error: ended, printed: printed.length })}\n`)
}
