import type { Query } from 'caseworker'
import { filterIn, textIn } from '../../api/address.ts'

/** To whom, and what: all of it is in the address but the values of the placeholders. */
export interface SendSearch {
  /** As in the list of processes; without it, all of the procedure. */
  where?: Query | undefined
  /** The sending number, by its plugin. */
  plugin?: string | undefined
  number?: string | undefined
  template?: string | undefined
}

export const readSendSearch = (raw: Record<string, unknown>): SendSearch => ({
  where: filterIn(raw.where),
  plugin: textIn(raw.plugin),
  number: textIn(raw.number),
  template: textIn(raw.template),
})
