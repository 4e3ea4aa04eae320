import { isIPv4 } from 'node:net'

/**
 * The network of an address: /24 for IPv4, /64 for IPv6. A subscriber can use any address in it, so
 * limits on single addresses would be pointless.
 */
export function networkOf(ip: string): string {
  const address = withoutPort(ip.toLowerCase())
    // An IPv4 client of a socket that listens on both: ::ffff:192.0.2.1
    .replace(/^::ffff:(?=\d+\.)/, '')
  if (isIPv4(address)) return `${address.split('.').slice(0, 3).join('.')}.0/24`
  return `${expandIPv6(address).slice(0, 4).join(':')}::/64`
}

/**
 * The networks that contain an address, narrowest first. Providers assign a /56 or /48 of IPv6 to a
 * subscriber, so limits apply to those too.
 */
export function networksOf(ip: string): string[] {
  const network = networkOf(ip)
  if (!network.endsWith('/64')) return [network]
  const [a, b, c, d = '0'] = network.split(':')
  const wide = (Number.parseInt(d, 16) & 0xff00).toString(16)
  return [network, `${a}:${b}:${c}:${wide}::/56`, `${a}:${b}:${c}::/48`]
}

/**
 * The unit of connection limits: a single IPv4 address, since carriers share the network around it,
 * and the /64 of IPv6, which belongs to one machine.
 */
export function subscriberOf(ip: string): string {
  const address = withoutPort(ip).replace(/^::ffff:(?=\d+\.)/i, '')
  return isIPv4(address) ? address : networkOf(address)
}

/** Some proxies add the port, which a visitor can change at will: 192.0.2.1:80, [2001:db8::1]:80 */
function withoutPort(ip: string): string {
  const bracketed = /^\[([^\]]*)\]/.exec(ip)?.[1]
  return bracketed ?? ip.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
}

function expandIPv6(address: string): string[] {
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::')
  const left = head.split(':').filter(Boolean)
  const right = (tail ?? '').split(':').filter(Boolean)
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  return [...left, ...zeros, ...right].map((group) => group.replace(/^0+(?=.)/, ''))
}
