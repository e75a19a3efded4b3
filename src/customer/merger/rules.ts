import {
  EMAIL_NAMES,
  IDENTITY_NAMES,
  type IdentityAttributes,
  listEmails,
  listIdentities,
  listPhones,
  OTHER_EMAILS,
  OTHER_PHONES,
  OTHERS_MAX,
  PHONE_NAMES,
} from '../../customer-record/identity-rules.ts'
import { AppError, type Fault } from '../../errors.ts'

/** A customer in a merge: `data` by attribute name. */
interface CandidateData extends IdentityAttributes {
  data: Record<string, unknown>
}

export interface MergePlan {
  /** The attributes that are set on the survivor. */
  set: Record<string, unknown>
  last: IdentityAttributes
  /** The attributes that it did not have, without numbers and addresses. */
  attributes: string[]
  phones: string[]
  emails: string[]
}

/**
 * Plans what the survivor gets from the merged customer: attributes that it does not have, and all numbers and
 * addresses. Its own number still counts; without one, that of the merged customer does. `ofThirds` are values that identify somebody else.
 */
export function planMerge(merged: CandidateData, survivor: CandidateData, ofThirds: ReadonlySet<string>): MergePlan {
  const attributes = Object.keys(merged.data).filter(
    name => !IDENTITY_NAMES.includes(name) && !Object.hasOwn(survivor.data, name),
  )
  const phones = listPhones(merged.data).filter(value => !ofThirds.has(value))
  const emails = listEmails(merged.data).filter(value => !ofThirds.has(value))
  const [mergedIdentity, survivorIdentity] = [
    listIdentities(merged.data, merged),
    listIdentities(survivor.data, survivor),
  ]
  const taken = [
    ...attributes,
    ...(survivorIdentity.phone === null ? PHONE_NAMES.filter(name => Object.hasOwn(merged.data, name)) : []),
    ...(survivorIdentity.email === null ? EMAIL_NAMES.filter(name => Object.hasOwn(merged.data, name)) : []),
  ]
  return {
    set: {
      ...Object.fromEntries(taken.map(name => [name, merged.data[name]])),
      ...setOthers(OTHER_PHONES, survivorIdentity.otherPhones, phones, survivorIdentity.phone ?? mergedIdentity.phone),
      ...setOthers(OTHER_EMAILS, survivorIdentity.otherEmails, emails, survivorIdentity.email ?? mergedIdentity.email),
    },
    last: {
      phoneName: (survivorIdentity.phone === null ? merged : survivor).phoneName,
      emailName: (survivorIdentity.email === null ? merged : survivor).emailName,
    },
    attributes,
    phones,
    emails,
  }
}

function setOthers(
  name: string,
  before: readonly string[],
  added: readonly string[],
  main: string | null,
): Record<string, string[]> {
  const others = [...new Set([...before, ...added])].filter(value => value !== main)
  if (others.length > OTHERS_MAX)
    throw new AppError('conflict', `the record would have more than ${OTHERS_MAX} ${name}: remove some first`)
  const isSame = others.length === before.length && others.every(value => before.includes(value))
  return isSame ? {} : { [name]: others }
}

/** Returns the error for the id of a customer who was merged already. `path` is its place in the request. */
export const alreadyMergedError = (id: string, into: string, path: string): AppError => {
  const fault: Fault = {
    message: `the record ${id} was merged into ${into}`,
    path,
    hint: into,
    detail: { recordId: into },
  }
  return new AppError('record_merged', [fault])
}
