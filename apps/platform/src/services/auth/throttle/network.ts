import { isIPv4 } from 'node:net'

/**
 * The network of an address: /24 of IPv4, /64 of IPv6. One subscriber moves freely inside it, so a
 * limit on single addresses would be none.
 */
export function networkOf(ip: string): string {
  // An IPv4 client of a socket that listens on both: ::ffff:192.0.2.1
  const address = ip.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '')
  if (isIPv4(address)) return `${address.split('.').slice(0, 3).join('.')}.0/24`
  return `${expandIPv6(address).slice(0, 4).join(':')}::/64`
}

function expandIPv6(address: string): string[] {
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::')
  const left = head.split(':').filter(Boolean)
  const right = (tail ?? '').split(':').filter(Boolean)
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  return [...left, ...zeros, ...right].map((group) => group.replace(/^0+(?=.)/, ''))
}
