import type { HsmFaultKind } from './hsm-fault.ts'

export type HsmAlgorithm = 'AES' | 'DES'
export const hsmRoles = ['enc', 'mac', 'dek'] as const
export type HsmRole = (typeof hsmRoles)[number]

/** A key of a set in the token. A different identifier than at creation finds nothing. */
export interface HsmKey {
  label: string
  identifier: Uint8Array
  role: HsmRole
}

/** Requests to the module's process. */
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
  /** CBC after a zero block, each one separately; whole blocks. */
  | { name: 'encrypt'; algorithm: HsmAlgorithm; key: HsmKey; data: Uint8Array[] }
  /** Block by block, with the triple DES key derived from the derivation data. */
  | { name: 'encryptDerived'; key: HsmKey; derivation: Uint8Array; data: Uint8Array[] }
  | { name: 'ping' }

export interface HsmQuestion {
  id: number
  request: HsmRequest
}

export type HsmAnswer =
  | { id: number; results: Uint8Array[] }
  | { id: number; fault: { kind: HsmFaultKind; detail: string } }
