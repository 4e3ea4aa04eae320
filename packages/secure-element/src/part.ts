import { toHex } from './bytes.ts'
import type { CplcFieldName, ProductionDate } from './cplc.ts'
import type { IdentitySource } from './derived-id.ts'
import type { PrivilegeName } from './privileges.ts'
import type { LifeCycleState } from './life-cycle.ts'
import type { StatusName } from './status-word.ts'
import type { WellKnownName } from './aid.ts'
import type { TagName } from './tag-names.ts'

/** Names of parts: stable identifiers, which the interface translates. */
export type PartName =
  | CplcFieldName
  | TagName
  | 'noCplc'
  | 'identitySource'
  | 'identityHash'
  | 'tag'
  | 'length'
  | 'value'
  | 'rid'
  | 'pix'
  | 'privilegeByte'
  | 'lifeCycleExtra'
  | 'unfinished'
  | 'data'
  | 'statusWord'
  | 'class'
  | 'logicalChannel'
  | 'instruction'
  | 'parameter1'
  | 'parameter2'
  | 'objectTag'
  | 'dataLength'
  | 'expectedLength'
  | 'messageCode'
  | 'loadFileHash'
  | 'parameters'
  | 'token'
  | 'applicationAid'
  | 'hostChallenge'
  | 'hostCryptogram'
  | 'keyType'
  | 'keyLength'
  | 'keyUsage'
  | 'keyAccess'
  | 'extendedFormat'
  | 'keyBlock'
  | 'keyValue'
  | 'keyCheckValue'
  | 'atrInitial'
  | 'atrFormat'
  | 'atrInterface'
  | 'historicalBytes'
  | 'checkByte'

/** The meaning of a value, which the interface translates. */
export type Term =
  | `privilege.${PrivilegeName}`
  | `state.${LifeCycleState}`
  | `status.${StatusName}`
  | `aid.${WellKnownName}`
  | `class.${'interindustry' | 'proprietary' | 'securedInterindustry' | 'securedProprietary'}`
  | `subset.${'issuer' | 'applications' | 'loadFiles' | 'loadFilesAndModules'}`
  | `list.${'first' | 'next'}`
  | `block.${'last' | 'more'}`
  | `logical.${'open' | 'close'}`
  | `key.${'preShared' | 'rsaExponent' | 'rsaModulus' | 'eccPublic' | 'private' | 'unknown'}`
  | `identity.${IdentitySource | 'none'}`
  | `atr.${'direct' | 'inverse' | 'checkRight' | 'checkWrong'}`
  | 'notSet'

export type Meaning =
  | { kind: 'term'; term: Term; value?: number }
  | { kind: 'terms'; terms: Term[] }
  /** A proper name, the same in every language. */
  | { kind: 'name'; text: string }
  /** A requested data object. */
  | { kind: 'object'; name: TagName }
  | { kind: 'number'; value: number }
  | { kind: 'date'; date: ProductionDate }

/** A named range of bytes, from `from` up to but excluding `to`. */
export interface Part {
  name: PartName
  from: number
  to: number
  hex: string
  meaning?: Meaning
  parts?: Part[]
}

export const part = (
  bytes: Uint8Array,
  name: PartName,
  from: number,
  to: number,
  more: Pick<Part, 'meaning' | 'parts'> = {},
): Part => ({ name, from, to, hex: toHex(bytes.subarray(from, to)), ...more })

export const term = (name: Term, value?: number): { meaning: Meaning } => ({
  meaning: { kind: 'term', term: name, ...(value !== undefined && { value }) },
})
export const named = (text: string): { meaning: Meaning } => ({ meaning: { kind: 'name', text } })
export const number = (value: number): { meaning: Meaning } => ({
  meaning: { kind: 'number', value },
})
