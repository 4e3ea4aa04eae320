import { BlockList, isIPv4, isIPv6 } from 'node:net'

/**
 * Non-public addresses: IANA's special-purpose registries, RFC 6890 and later, and addresses inside
 * public ranges where clouds serve a machine's credentials.
 */
const special = listOf([
  '0.0.0.0/8',
  '10.0.0.0/8',
  // Carrier-grade NAT (RFC 6598); Alibaba's metadata is at 100.100.100.200.
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Metadata of AWS, Google, Azure and others is at 169.254.169.254.
  '169.254.0.0/16',
  '172.16.0.0/12',
  // Oracle's metadata is at 192.0.0.192.
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Azure's machine agent, in a public range.
  '168.63.129.16/32',
  // Teredo, ORCHID, benchmarks and others (RFC 2928).
  '2001::/23',
  '2001:db8::/32',
  // 6to4: an embedded IPv4 address.
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
])
/** The unicast part of IPv6; mapped, translated and local addresses are outside. */
const unicast = listOf(['2000::/3'])

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    list.addSubnet(address, Number(prefix), isIPv4(address) ? 'ipv4' : 'ipv6')
  }
  return list
}

/** Whether an address, in any notation of `node:net`, is a public host. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, 'ipv4')
  // A zone names an interface of this machine.
  if (!isIPv6(address) || address.includes('%')) return false
  return unicast.check(address, 'ipv6') && !special.check(address, 'ipv6')
}
