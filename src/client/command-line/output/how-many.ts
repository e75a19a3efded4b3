/** "1 entry", "1,200 entries". */
export const howMany = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`
