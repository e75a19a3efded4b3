// Declares those scripts of the pages that the build and tests use, too.

declare module '*/highlight.js' {
  export function highlight(text: string, language: string): string
}

declare module '*/find.js' {
  interface Entry {
    kind: 'operation' | 'guide' | 'error' | 'field'
    title: string
    where: string
    href: string
    text: string
  }
  export function find(entries: readonly Entry[], query: string, limit: number): (Entry & { excerpt: string })[]
}
