import { CUSTOMERS_OF_HUNDRED, PLACES, type Place } from './places.ts'
import type { Random } from './random.ts'

/** Somebody whom processes are for. */
export interface Customer {
  /** The row of the record. */
  rid: number
  id: string
  since: number
  data: { name: string; phone_number: string; email?: string; city: string; country: string }
  place: Place
  latitude: number
  longitude: number
}

type CustomerDraft = Omit<Customer, 'rid' | 'id' | 'since'>

/** About two kilometres. */
const NEARBY_DEGREES = 0.02
const EMAIL_SHARE = 0.7

const plainLetters = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll('ø', 'o')
    .replace(/[^A-Za-z]/g, '')
    .toLowerCase()

/** Drafts customers, each with a unique number. */
export function draftCustomers(random: Random, count: number): CustomerDraft[] {
  const numbers = new Set<string>()
  return Array.from({ length: count }, (_, nth) => {
    const place = PLACES[random.weighted(CUSTOMERS_OF_HUNDRED)]
    const [city, latitude, longitude] = random.pick(place.cities)
    const [firstName, lastName] = [random.pick(place.firstNames), random.pick(place.lastNames)]
    const [prefix, digits] = place.phone
    let phone_number: string
    do phone_number = prefix + String(random.whole(0, 10 ** digits - 1)).padStart(digits, '0')
    while (numbers.has(phone_number))
    numbers.add(phone_number)
    const email = `${plainLetters(firstName)}.${plainLetters(lastName)}${nth}@mail.example`
    return {
      place,
      latitude: near(random, latitude),
      longitude: near(random, longitude),
      data: {
        name: `${firstName} ${lastName}`,
        phone_number,
        ...(random.chance(EMAIL_SHARE) ? { email } : {}),
        city,
        country: place.country,
      },
    }
  })
}

const near = (random: Random, degrees: number): number =>
  Number((degrees + (random.fraction() - 0.5) * NEARBY_DEGREES).toFixed(5))
