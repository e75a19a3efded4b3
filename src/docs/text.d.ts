declare module '*.md' {
  const text: string
  export default text
}

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
  export const QUERY_CHARACTERS_MAX: number
  export function find(entries: readonly Entry[], query: string, limit: number): (Entry & { excerpt: string })[]
}
