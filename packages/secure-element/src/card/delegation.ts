import type { Command } from '../apdu.ts'
import { concat, readHex } from '../bytes.ts'
import { purposeVersions, receiptData, type ReceiptSubject } from '../host/delegation.ts'
import { field } from '../host/fields.ts'
import { isSigned, signature, type VerificationKey } from '../keys/signature.ts'
import type { PrivilegeName } from '../privileges.ts'
import { lengthField } from '../secure-channel/scp03-host.ts'
import type { CardState, StoredKey } from './card-state.ts'
import { domainData, hasPrivilege } from './domains.ts'
import { noReceipt } from './install-fields.ts'
import { cardNumbers } from './objects.ts'
import { refuse } from './refusal.ts'
import type { CardContext } from './volatile.ts'

export function verificationKey({ algorithm, value, exponent = '' }: StoredKey): VerificationKey {
  const bytes = readHex(value)
  if (algorithm === 'EC') return { algorithm, point: bytes }
  if (algorithm === 'ECPrivate') return refuse('missingReference')
  if (algorithm === 'RSA') return { algorithm, modulus: bytes, exponent: readHex(exponent) }
  return { algorithm, value: bytes }
}

/** A domain's keys with the purpose of this version. */
const keysFor = (state: CardState, aid: string, version: number): StoredKey[] =>
  domainData(state, aid)?.keySets.find((set) => set.version === version)?.keys ?? []

/** The domain with a privilege for the whole card: a supplementary one, otherwise the issuer's. */
const domainWith = (state: CardState, privilege: PrivilegeName): string =>
  state.applications.find(({ privileges }) => privileges.includes(privilege))?.aid ??
  state.issuerAid

/**
 * Whether the selected domain may manage its contents: by itself, or with a token over `fields`, the
 * command's data without its token. True if a token authorised it.
 */
export function isDelegated(
  { state, session }: CardContext,
  { p1, p2 }: Command,
  fields: Uint8Array,
  token: Uint8Array,
): boolean {
  const { selected } = session
  if (hasPrivilege(state, selected, 'authorizedManagement'))
    return token.length > 0 ? refuse('unsupportedFunction') : false
  if (!hasPrivilege(state, selected, 'delegatedManagement')) return refuse('notNow')
  const keys = keysFor(state, domainWith(state, 'tokenVerification'), purposeVersions.token)
  if (keys.length === 0 || token.length === 0) return refuse('notNow')
  const data = concat([p1, p2], lengthField(fields.length), fields)
  return keys.some((key) => isSigned(verificationKey(key), data, token)) || refuse('notSecure')
}

const maxCounter = 0xffff

/** The receipt for a delegated command; `00` if the card has no receipt key. */
export function receiptFor({ state, write }: CardContext, subject: ReceiptSubject): Uint8Array {
  const domain = domainWith(state, 'receiptGeneration')
  const [key] = keysFor(state, domain, purposeVersions.receipt)
  if (!key || (key.algorithm !== 'AES' && key.algorithm !== 'DES')) return noReceipt
  const counter = Math.min(maxCounter, (state.receipts ?? 0) + 1)
  write((next) => {
    next.receipts = counter
  })
  const confirmation = concat(
    field(Uint8Array.of(counter >> 8, counter & 0xff)),
    field(cardNumbers(state)),
  )
  const { algorithm, value } = key
  const made = signature({ algorithm, value: readHex(value) }, receiptData(confirmation, subject))
  return field(concat(field(made), confirmation))
}

/** A signature before a load file, with the domain that it is for. */
export interface LoadedSignature {
  aid: string
  signature: Uint8Array
}

/**
 * Checks the signatures for every domain that must verify a load file: the one that receives it, if
 * it verifies signatures, and each one that verifies all load files.
 */
export function checkSignatures(
  state: CardState,
  domainAid: string,
  hash: Uint8Array,
  signatures: readonly LoadedSignature[],
): void {
  const mandated = state.applications
    .filter(({ privileges }) => privileges.includes('mandatedDapVerification'))
    .map(({ aid }) => aid)
  const own = hasPrivilege(state, domainAid, 'dapVerification') ? [domainAid] : []
  for (const aid of new Set([...own, ...mandated])) {
    const found = signatures.find((each) => each.aid === aid)
    const keys = keysFor(state, aid, purposeVersions.dap)
    // Signatures cover the hash that INSTALL [for load] announced.
    if (!found || hash.length === 0) return refuse('wrongData')
    if (!keys.some((key) => isSigned(verificationKey(key), hash, found.signature)))
      return refuse('wrongData')
  }
}
