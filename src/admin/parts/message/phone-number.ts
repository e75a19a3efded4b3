/** A phone number as it is read: what is digits only is an international number. */
export const formatPhone = (number: string): string => (/^\d+$/.test(number) ? `+${number}` : number)
