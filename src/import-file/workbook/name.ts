/** Stands by itself, so that what reads workbooks is loaded only for one. */
export const isWorkbookName = (name: string): boolean => /\.xlsx$/i.test(name)
