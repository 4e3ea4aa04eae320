import { parseAid } from './aid.ts'
import { byteAt, toHex } from './bytes.ts'
import { DecodeError } from './decode-error.ts'
import { kindOf, ownerOf, type RegistryEntry, type RegistrySubset } from './get-status.ts'
import { lifeCycleState } from './life-cycle.ts'
import { decodePrivileges } from './privileges.ts'

/**
 * Parses the answers to GET STATUS with P2 `00`, the only format of cards before GlobalPlatform 2.2
 * (Card Specification 2.1.1, 9.4.3): records of a length-prefixed AID, a life cycle state and a byte
 * of privileges; for load files with modules also a count and the AIDs of the modules.
 */
export function parseStatusRecords(
  bytes: Uint8Array,
  subset: RegistrySubset,
  hasModules = false,
): RegistryEntry[] {
  const entries: RegistryEntry[] = []
  let at = 0
  const take = (size: number): Uint8Array => {
    const left = bytes.length - at
    if (left < size) throw new DecodeError('cutOff', at, { expected: `${size}`, found: `${left}` })
    at += size
    return bytes.subarray(at - size, at)
  }
  const takeByte = () => byteAt(take(1), 0)
  const takeAid = () => {
    const from = at + 1
    const aid = take(takeByte())
    parseAid(bytes, from, at)
    return toHex(aid)
  }
  while (at < bytes.length) {
    const aid = takeAid()
    const lifeCycle = takeByte()
    const granted = take(1)
    const privileges = subset === 'loadFiles' ? undefined : decodePrivileges(granted)
    const modules = hasModules ? Array.from({ length: takeByte() }, takeAid) : []
    const kind = kindOf({ aid, lifeCycle, privileges, modules }, subset)
    const state = lifeCycleState(ownerOf(kind), lifeCycle)
    entries.push({
      aid,
      kind,
      lifeCycle,
      ...(state && { state }),
      ...(privileges && { privileges }),
      implicitSelection: [],
      modules,
    })
  }
  return entries
}
