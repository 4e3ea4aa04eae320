import { isIP } from 'node:net'
import { readText, type Environment } from '../environment.ts'
import { StartupError } from '../startup-error.ts'

export interface EgressSettings {
  /**
   * `address:port` pairs allowed although the address is not public, or the port is not 80 or 443.
   */
  allowed: readonly { address: string; port: number }[]
}

/** @throws StartupError naming the variable and its allowed form. */
export function readEgressSettings(env: Environment): EgressSettings {
  // Addresses with ports that developers' programs may call besides public ones at 80 and 443,
  // separated by commas: 10.0.0.7:8080,[fd00::7]:443. For receivers inside one's own network.
  const list = readText(env, 'GROVE_EGRESS_ALLOW')?.split(',') ?? []
  return {
    allowed: list.map((part) => {
      const found = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(part.trim())
      const address = found?.[1] ?? found?.[2] ?? ''
      const port = Number(found?.[3])
      if (isIP(address) === 0 || !(port >= 1 && port <= 65_535))
        throw new StartupError(
          `GROVE_EGRESS_ALLOW names "${part.trim()}"; it holds addresses with ports, such as 10.0.0.7:8080.`,
        )
      return { address, port }
    }),
  }
}
