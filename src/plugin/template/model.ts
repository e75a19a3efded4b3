export interface Button {
  type: string
  text?: string
  url?: string
}

/** A component of a template's definition, as the provider lists it, with the members that matter to sending. */
export interface Component {
  type: string
  format?: string
  text?: string
  buttons?: Button[]
}

export interface Template {
  id: string
  externalId: string
  name: string
  language: string
  category: string
  /** The status. Only an APPROVED template can be sent. */
  status: string
  statusReason: string | null
  parameterFormat: string
  components: Component[]
  updatedAt: number
}
