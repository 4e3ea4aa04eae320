import { byteAt } from './bytes.ts'
import { DecodeError } from './decode-error.ts'
import { part, type Part } from './part.ts'

/**
 * Privileges of applications and security domains: byte and bit of each
 * (GlobalPlatform Card Specification 2.3.1, tables 11-7 to 11-9).
 */
const bits = [
  ['securityDomain', 0, 0x80],
  ['dapVerification', 0, 0x40],
  ['delegatedManagement', 0, 0x20],
  ['cardLock', 0, 0x10],
  ['cardTerminate', 0, 0x08],
  ['cardReset', 0, 0x04],
  ['cvmManagement', 0, 0x02],
  ['mandatedDapVerification', 0, 0x01],
  ['trustedPath', 1, 0x80],
  ['authorizedManagement', 1, 0x40],
  ['tokenVerification', 1, 0x20],
  ['globalDelete', 1, 0x10],
  ['globalLock', 1, 0x08],
  ['globalRegistry', 1, 0x04],
  ['finalApplication', 1, 0x02],
  ['globalService', 1, 0x01],
  ['receiptGeneration', 2, 0x80],
  ['cipheredLoadFileDataBlock', 2, 0x40],
  ['contactlessActivation', 2, 0x20],
  ['contactlessSelfActivation', 2, 0x10],
] as const

export type PrivilegeName = (typeof bits)[number][0]

/** All privileges, in the order of their bits. */
export const privilegeNames: readonly PrivilegeName[] = bits.map(([name]) => name)

/** Privileges with which an application locks, terminates or wipes a card, or controls all of it. */
export const overTheCard: ReadonlySet<PrivilegeName> = new Set<PrivilegeName>([
  'cardLock',
  'cardTerminate',
  'mandatedDapVerification',
  'globalDelete',
  'globalLock',
  'finalApplication',
])

/** Privileges that require another one (GlobalPlatform 2.3.1, 6.6.2). */
const needs: Partial<Record<PrivilegeName, PrivilegeName>> = {
  dapVerification: 'securityDomain',
  delegatedManagement: 'securityDomain',
  mandatedDapVerification: 'dapVerification',
  trustedPath: 'securityDomain',
  authorizedManagement: 'securityDomain',
  tokenVerification: 'securityDomain',
  receiptGeneration: 'securityDomain',
}

export type PrivilegeConflict =
  | { kind: 'needs'; privilege: PrivilegeName; other: PrivilegeName }
  | { kind: 'excludes'; privilege: PrivilegeName; other: PrivilegeName }

/** What is wrong with a set of privileges: empty if a card accepts it. */
export function privilegeConflicts(names: readonly PrivilegeName[]): PrivilegeConflict[] {
  const conflicts: PrivilegeConflict[] = names.flatMap((privilege) => {
    const other = needs[privilege]
    return other !== undefined && !names.includes(other)
      ? [{ kind: 'needs' as const, privilege, other }]
      : []
  })
  if (names.includes('authorizedManagement') && names.includes('delegatedManagement'))
    conflicts.push({
      kind: 'excludes',
      privilege: 'authorizedManagement',
      other: 'delegatedManagement',
    })
  return conflicts
}

/**
 * Reads three-byte privileges, or the single byte of GlobalPlatform 2.1.1. A card may report sets
 * that no command can request, so conflicts are not refused here.
 */
export function decodePrivileges(bytes: Uint8Array, from = 0, to = bytes.length): PrivilegeName[] {
  const length = to - from
  if (length !== 1 && length !== 3)
    throw new DecodeError('wrongLength', from, { expected: '1 / 3', found: `${length}` })
  return bits.flatMap(([name, byte, bit]) =>
    byte < length && (byteAt(bytes, from + byte) & bit) !== 0 ? [name] : [],
  )
}

/** Encodes privileges as three bytes; rejects a set that a card would refuse. */
export function encodePrivileges(names: readonly PrivilegeName[]): Uint8Array {
  const [conflict] = privilegeConflicts(names)
  if (conflict)
    throw new DecodeError('conflict', 0, {
      expected: conflict.kind === 'needs' ? conflict.other : conflict.privilege,
      found: conflict.kind === 'needs' ? conflict.privilege : conflict.other,
    })
  const bytes = new Uint8Array(3)
  for (const [name, byte, bit] of bits)
    if (names.includes(name)) bytes[byte] = byteAt(bytes, byte) | bit
  return bytes
}

/** Names each privilege byte and what it grants. */
export function explainPrivileges(bytes: Uint8Array, from = 0, to = bytes.length): Part[] {
  const granted = decodePrivileges(bytes, from, to)
  return Array.from({ length: to - from }, (_, index) => {
    const here = bits.filter(([name, byte]) => byte === index && granted.includes(name))
    return part(bytes, 'privilegeByte', from + index, from + index + 1, {
      meaning: { kind: 'terms', terms: here.map(([name]) => `privilege.${name}` as const) },
    })
  })
}
