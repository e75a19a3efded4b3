import type { Query } from 'caseworker'
import { filterIn, isFilterBroken, textIn } from '../../api/address.ts'

/** The state of the form, all of which is in the address except the values of the placeholders. */
export interface SendSearch {
  /** The filter of the list of processes; without it, all of the procedure. */
  where?: Query | undefined
  /** True if the filter in the address can't be read: then nothing is shown, and nothing offered. */
  hasBrokenFilter?: true | undefined
  /** The sending number, by its plugin. */
  plugin?: string | undefined
  number?: string | undefined
  template?: string | undefined
}

export const readSendSearch = (raw: Record<string, unknown>): SendSearch => ({
  where: filterIn(raw.where),
  hasBrokenFilter: isFilterBroken(raw.where) || raw.hasBrokenFilter === true || undefined,
  plugin: textIn(raw.plugin),
  number: textIn(raw.number),
  template: textIn(raw.template),
})
