import { isIP } from 'node:net'
import { buildConnector } from 'undici'
import { EgressError } from './egress-error.ts'
import type { EgressSettings } from './egress-settings.ts'
import { isPublicAddress } from './public-address.ts'
import type { Resolve } from './resolve-name.ts'

const connectMs = 5000

export const ordinaryPorts: readonly number[] = [80, 443]

/**
 * Connects only to public IP addresses. Names are resolved here and the checked address is dialled,
 * so that a second DNS answer changes nothing; one forbidden address rejects the name. A literal IP
 * address is checked here too, since `node:net` does not pass it to `lookup`.
 */
export function checkedConnector(
  { allowed }: EgressSettings,
  resolve: Resolve,
): buildConnector.connector {
  const dial = buildConnector({ timeout: connectMs })
  const isAllowed = (address: string, port: number) =>
    (ordinaryPorts.includes(port) && isPublicAddress(address)) ||
    allowed.some((each) => each.address === address && each.port === port)

  async function addressesOf(name: string, port: number): Promise<readonly string[]> {
    const host = name.replace(/^\[|\]$/g, '')
    const addresses = isIP(host) === 0 ? await resolved(host, resolve) : [host]
    if (addresses.length === 0 || !addresses.every((address) => isAllowed(address, port)))
      throw new EgressError(
        'address_refused',
        `${name} is not an address on the public internet that may be reached at port ${port}.`,
      )
    return addresses
  }

  return (options, callback) => {
    const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80)
    const dialNext = ([address, ...others]: readonly string[]) => {
      dial({ ...options, hostname: address ?? '' }, (...connected) => {
        const [error] = connected
        if (error && others.length > 0) dialNext(others)
        else callback(...connected)
      })
    }
    // oxlint-disable-next-line promise/no-callback-in-promise -- the connector of undici has callbacks
    addressesOf(options.hostname, port).then(dialNext, (error: Error) => callback(error, null))
  }
}

async function resolved(host: string, resolve: Resolve): Promise<readonly string[]> {
  try {
    return await resolve(host)
  } catch (cause) {
    throw new EgressError('unreachable', `The name ${host} cannot be resolved.`, { cause })
  }
}
