/** A browser may take so long to start with the file. */
const KEPT_MS = 60_000

/** Saves what the page has made or read as a file. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS)
}
