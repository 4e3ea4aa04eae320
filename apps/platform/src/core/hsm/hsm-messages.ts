import type { HsmFaultKind } from './hsm-fault.ts'

export type HsmAlgorithm = 'AES' | 'DES'
export const hsmRoles = ['enc', 'mac', 'dek'] as const
export type HsmRole = (typeof hsmRoles)[number]

/** A key of a set in the token. Another identifier than it was made with finds nothing. */
export interface HsmKey {
  label: string
  identifier: Uint8Array
  role: HsmRole
}

/** What the process of the module is asked. */
export type HsmRequest =
  | { name: 'open'; module: string; token: string; pin: Uint8Array }
  | {
      name: 'create'
      label: string
      identifier: Uint8Array
      algorithm: HsmAlgorithm
      keys: Record<HsmRole, Uint8Array>
    }
  | { name: 'destroy'; label: string }
  /** AES-CMAC of each message. */
  | { name: 'sign'; key: HsmKey; data: Uint8Array[] }
  /** CBC behind a block of zeros, each by itself; whole blocks. */
  | { name: 'encrypt'; algorithm: HsmAlgorithm; key: HsmKey; data: Uint8Array[] }
  /** Block by block, with the triple DES key that the key makes of the derivation data. */
  | { name: 'encryptDerived'; key: HsmKey; derivation: Uint8Array; data: Uint8Array[] }
  | { name: 'ping' }

export interface HsmQuestion {
  id: number
  request: HsmRequest
}

export type HsmAnswer =
  | { id: number; results: Uint8Array[] }
  | { id: number; fault: { kind: HsmFaultKind; detail: string } }
