const number = new Intl.NumberFormat(undefined, { useGrouping: 'min2', maximumFractionDigits: 20 })

/** Formats a number of any type, grouped from 10,000 on, so that a year is no "2,026". */
export const formatNumber = (value: number): string => number.format(value)

/** "1 entry", "1,200 entries". */
export const howMany = (count: number, one: string, many: string): string =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`
