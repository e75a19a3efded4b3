const IPV6_GROUPS = 8
/** The size of an IPv6 network. A customer of a provider has at least one, so its single addresses say nothing. */
const NETWORK_GROUPS = 4

/** Returns the key under which an address is counted: of IPv6 its network of 64 bits, of IPv4 the address. */
export function toAddressKey(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.toLowerCase().split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const between = tail === undefined ? 0 : Math.max(0, IPV6_GROUPS - groups.length - after.length)
  const all = [...groups, ...Array.from({ length: between }, () => '0'), ...after]
  const network = all.slice(0, NETWORK_GROUPS).map(group => group.replace(/^0+(?=.)/, ''))
  return `${network.join(':')}::/64`
}
