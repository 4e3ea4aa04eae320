import type { Cryptoki, Template } from './cryptoki.ts'
import { HsmFault } from './hsm-fault.ts'
import { hsmRoles, type HsmAlgorithm, type HsmKey, type HsmRole } from './hsm-messages.ts'

// pkcs11t.h
const attribute = {
  class: 0x0,
  token: 0x1,
  private: 0x2,
  label: 0x3,
  value: 0x11,
  keyType: 0x100,
  id: 0x102,
  sensitive: 0x103,
  encrypt: 0x104,
  decrypt: 0x105,
  wrap: 0x106,
  unwrap: 0x107,
  sign: 0x108,
  verify: 0x10a,
  derive: 0x10c,
  extractable: 0x162,
  modifiable: 0x170,
} as const
const secretKey = 0x4
const keyTypes = { aes: 0x1f, des2: 0x14, des3: 0x15 } as const
const mechanisms = {
  aesCbc: 0x1082,
  aesCmac: 0x108a,
  tripleDesEcb: 0x132,
  tripleDesCbc: 0x133,
  tripleDesCbcDerivation: 0x1103,
} as const

/** A token with its logged-in session. */
export interface OpenToken {
  cryptoki: Cryptoki
  session: bigint
  /** Cached handles: some tokens read every object to find one. */
  found: Map<string, bigint>
}

const maxFound = 10_000

const labelOf = (label: string, role: HsmRole) => Buffer.from(`${label} ${role}`)

/** The only permitted use of each key. */
const usageOf = (algorithm: HsmAlgorithm, role: HsmRole): number => {
  if (algorithm === 'AES') return role === 'dek' ? attribute.encrypt : attribute.sign
  return role === 'dek' ? attribute.derive : attribute.encrypt
}

const usages = [
  attribute.encrypt,
  attribute.decrypt,
  attribute.wrap,
  attribute.unwrap,
  attribute.sign,
  attribute.verify,
  attribute.derive,
]

const typeOf = (algorithm: HsmAlgorithm, { length }: Uint8Array) =>
  algorithm === 'AES' ? keyTypes.aes : length === 16 ? keyTypes.des2 : keyTypes.des3

/** The same key with the parity bits that strict tokens require; the cipher ignores them. */
const withParity = (key: Uint8Array): Uint8Array =>
  key.map((byte) => {
    let ones = 0
    for (let bits = byte >> 1; bits > 0; bits >>= 1) ones += bits & 1
    return (byte & 0xfe) | (ones % 2 === 0 ? 1 : 0)
  })

/** All three keys or none; replaces leftovers of an interrupted run. */
export function createKeys(
  token: OpenToken,
  {
    label,
    identifier,
    algorithm,
    keys,
  }: {
    label: string
    identifier: Uint8Array
    algorithm: HsmAlgorithm
    keys: Record<HsmRole, Uint8Array>
  },
): void {
  destroyKeys(token, label)
  try {
    for (const role of hsmRoles)
      createKey(token, { label, identifier, role }, algorithm, keys[role])
  } catch (error) {
    destroyKeys(token, label)
    throw error
  }
}

function createKey(
  { cryptoki, session }: OpenToken,
  { label, identifier, role }: HsmKey,
  algorithm: HsmAlgorithm,
  value: Uint8Array,
): void {
  const usage = usageOf(algorithm, role)
  const stored = algorithm === 'DES' ? withParity(value) : value
  const key = cryptoki.create(session, [
    [attribute.class, secretKey],
    [attribute.keyType, typeOf(algorithm, value)],
    [attribute.token, true],
    [attribute.private, true],
    [attribute.modifiable, false],
    [attribute.label, labelOf(label, role)],
    [attribute.id, identifier],
    [attribute.sensitive, true],
    [attribute.extractable, false],
    ...usages.map((each) => [each, each === usage] as const),
    [attribute.value, stored],
  ])
  if (stored !== value) stored.fill(0)
  const isHidden =
    cryptoki.flag(session, key, attribute.sensitive) &&
    !cryptoki.flag(session, key, attribute.extractable)
  if (!isHidden) throw new HsmFault('readable')
}

export function destroyKeys({ cryptoki, session, found }: OpenToken, label: string): void {
  for (const name of found.keys()) if (name.startsWith(`${label} `)) found.delete(name)
  for (const role of hsmRoles)
    for (const key of cryptoki.find(session, [
      [attribute.class, secretKey],
      [attribute.label, labelOf(label, role)],
    ]))
      cryptoki.destroy(session, key)
}

/** If another process destroyed it, the token refuses its handle, which ends this process. */
function findKey({ cryptoki, session, found }: OpenToken, key: HsmKey): bigint {
  const { label, identifier, role } = key
  const name = `${label} ${role} ${Buffer.from(identifier).toString('hex')}`
  const known = found.get(name)
  if (known !== undefined) return known
  const [handle, second] = cryptoki.find(session, [
    [attribute.class, secretKey],
    [attribute.label, labelOf(label, role)],
    [attribute.id, identifier],
  ])
  if (handle === undefined || second !== undefined) throw new HsmFault('missing')
  if (found.size >= maxFound) found.clear()
  found.set(name, handle)
  return handle
}

export function sign(token: OpenToken, key: HsmKey, data: readonly Uint8Array[]): Uint8Array[] {
  const { cryptoki, session } = token
  const handle = findKey(token, key)
  return data.map((each) => cryptoki.sign(session, { type: mechanisms.aesCmac }, handle, each))
}

export function encrypt(
  token: OpenToken,
  key: HsmKey,
  algorithm: HsmAlgorithm,
  data: readonly Uint8Array[],
): Uint8Array[] {
  const { cryptoki, session } = token
  const handle = findKey(token, key)
  const mechanism =
    algorithm === 'AES'
      ? { type: mechanisms.aesCbc, parameter: new Uint8Array(16) }
      : { type: mechanisms.tripleDesCbc, parameter: new Uint8Array(8) }
  return data.map((each) => cryptoki.encrypt(session, mechanism, handle, each))
}

/** The derived key exists only during this call, and only in the token. */
export function encryptDerived(
  token: OpenToken,
  key: HsmKey,
  derivation: Uint8Array,
  data: readonly Uint8Array[],
): Uint8Array[] {
  const { cryptoki, session } = token
  const mechanism = {
    type: mechanisms.tripleDesCbcDerivation,
    parameter: new Uint8Array(8),
    data: derivation,
  }
  const template: Template = [
    [attribute.class, secretKey],
    [attribute.keyType, keyTypes.des2],
    [attribute.token, false],
    [attribute.private, true],
    [attribute.sensitive, true],
    [attribute.extractable, false],
    [attribute.encrypt, true],
  ]
  const derived = cryptoki.derive(session, mechanism, findKey(token, key), template)
  try {
    return data.map((each) =>
      cryptoki.encrypt(session, { type: mechanisms.tripleDesEcb }, derived, each),
    )
  } finally {
    cryptoki.destroy(session, derived)
  }
}
