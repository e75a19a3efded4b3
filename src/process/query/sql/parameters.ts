export type Scalar = string | number | boolean

/** The one JSON parameter of a statement: every value travels in it, and keeps its type on the way. */
export interface Parameters {
  /** SQL that stands for the value. Equal values share a place. */
  value(value: string | number): string
  /** SQL that stands for the values, to be used after `IN`. */
  list(values: readonly (string | number)[]): string
  json(): string
}

export function parameters(): Parameters {
  const texts: string[] = []
  const places = new Map<string, number>()
  const placeOf = (item: unknown): number => {
    const text = JSON.stringify(item)
    const known = places.get(text)
    if (known !== undefined) return known
    places.set(text, texts.length)
    return texts.push(text) - 1
  }
  return {
    value: value => `(?1->>${placeOf(value)})`,
    list: values => `(SELECT value FROM json_each(?1, '$[${placeOf(values)}]'))`,
    json: () => `[${texts.join(',')}]`,
  }
}
