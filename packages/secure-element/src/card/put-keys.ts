import type { Command } from '../apdu.ts'
import { byteAt, concat, toHex } from '../bytes.ts'
import { aesKey } from '../crypto/aes.ts'
import { tripleDesKey } from '../crypto/triple-des.ts'
import { ecPublicKey } from '../keys/signature.ts'
import { keyCheckValue, type KeyAlgorithm } from '../keys/key-check-value.ts'
import { privateKeyOf } from '../secure-channel/ec-key.ts'
import { isSame } from '../secure-channel/messaging.ts'
import type { CardState, StoredKey, StoredKeySet } from './card-state.ts'
import { curveEnd } from './curve.ts'
import { applicationOf, domainData, dropCertificates, opensChannel } from './domains.ts'
import { lengthValue } from './objects.ts'
import { refuse } from './refusal.ts'
import type { CardContext } from './volatile.ts'

/**
 * Both kinds can serve a purpose such as DAP; channels are opened only with those of their protocol.
 */
const lengths: Record<KeyAlgorithm, readonly number[]> = { AES: [16, 24, 32], DES: [16] }
const aesType = 0x88
/** DES with an implied or an explicit mode (GlobalPlatform Card Specification 2.3.1, table 11-16). */
const desTypes = { first: 0x80, last: 0x84 } as const

interface Block {
  key: Omit<StoredKey, 'id'>
  /** Empty for a public key. */
  check: Uint8Array
  end: number
}

const none = new Uint8Array()
const publicTypes = { exponent: 0xa0, modulus: 0xa1, point: 0xb0 } as const
const privateType = 0xb1
const scalarLength = 32

/** A public key: an RSA modulus and its exponent, or a point of P-256. */
function publicBlockAt(data: Uint8Array, at: number): Block {
  const isRsa = byteAt(data, at) === publicTypes.modulus
  const { value: first, next } = lengthValue(data, at + 1)
  const value = toHex(first)
  if (!isRsa) {
    const { next: end } = lengthValue(data, curveEnd(data, next))
    ecPublicKey(first)
    return { key: { algorithm: 'EC', value }, check: none, end }
  }
  if (byteAt(data, next) !== publicTypes.exponent) return refuse('wrongData')
  const { value: second, next: after } = lengthValue(data, next + 1)
  const { next: end } = lengthValue(data, after)
  return { key: { algorithm: 'RSA', value, exponent: toHex(second) }, check: none, end }
}

/** A private key of P-256, encrypted with or without a length prefix. */
function privateBlockAt(state: CardState, dek: Uint8Array, data: Uint8Array, at: number): Block {
  const { value: content, next } = lengthValue(data, at + 1)
  const hasLength = content.length === scalarLength + 1 && byteAt(content, 0) === scalarLength
  const encrypted = hasLength ? content.slice(1) : content
  if (state.protocol !== 'SCP03' || encrypted.length !== scalarLength) return refuse('wrongData')
  const { next: end } = lengthValue(data, curveEnd(data, next))
  const value = aesKey(dek).decrypt(encrypted)
  privateKeyOf(value)
  return { key: { algorithm: 'ECPrivate', value: toHex(value) }, check: none, end }
}

/** Decrypts one key and verifies its check value, if one was sent. */
function blockAt(state: CardState, dek: Uint8Array, data: Uint8Array, at: number): Block {
  const type = byteAt(data, at)
  if (type === publicTypes.modulus || type === publicTypes.point) return publicBlockAt(data, at)
  if (type === privateType) return privateBlockAt(state, dek, data, at)
  const isDes = type >= desTypes.first && type <= desTypes.last
  if (type !== aesType && !isDes) return refuse('wrongData')
  const algorithm = isDes ? 'DES' : 'AES'
  const { value: content, next } = lengthValue(data, at + 1)
  const { value: check, next: end } = lengthValue(data, next)
  const block = state.protocol === 'SCP03' ? 16 : 8
  // Some hosts prefix the length of the clear key, others do not.
  const hasLength = content.length % block === 1
  const encrypted = hasLength ? content.subarray(1) : content
  const length = hasLength ? byteAt(content, 0) : encrypted.length
  if (encrypted.length % block !== 0 || length > encrypted.length) return refuse('wrongData')
  if (!lengths[algorithm].includes(length)) return refuse('wrongData')
  const clear =
    state.protocol === 'SCP03'
      ? aesKey(dek).decrypt(encrypted)
      : tripleDesKey(dek).decryptBlocks(encrypted)
  const value = clear.slice(0, length)
  const expected = keyCheckValue(algorithm, value)
  if (check.length > 0 && !isSame(expected, check)) return refuse('wrongData')
  return { key: { algorithm, value: toHex(value) }, check: expected, end }
}

/** PUT KEY: all its keys in one write, so a power cut leaves either the old keys or the new ones. */
export function putKeys({ state, session, write }: CardContext, command: Command): Uint8Array {
  const { p1, p2, data } = command
  const { channel } = session
  if (!channel) return refuse('notSecure')
  if ((p1 & 0x80) !== 0) return refuse('unsupportedFunction')
  const version = byteAt(data, 0)
  if (version < 1 || version > 0x7f) return refuse('wrongData')
  const keys: Block[] = []
  for (let at = 1; at < data.length;) {
    const block = blockAt(state, channel.dek, data, at)
    keys.push(block)
    at = block.end
  }
  const firstId = p2 & 0x7f
  const isSeveral = (p2 & 0x80) !== 0
  if (keys.length === 0 || firstId === 0 || isSeveral !== keys.length > 1)
    return refuse('wrongData')
  const { keySets } = domainData(state, session.selected) ?? refuse('notNow')
  const replaced = p1 === 0 ? undefined : keySets.find((set) => set.version === p1)
  if (p1 !== 0 && !replaced) return refuse('missingReference')
  const added = keys.map(({ key }, index): StoredKey => ({ id: firstId + index, ...key }))
  // Keys with other ids may be added to a version.
  const joined = keySets.find((set) => set.version === version && version !== p1)
  const isTaken = joined?.keys.some(({ id }) => added.some((each) => each.id === id))
  if (joined && (p1 !== 0 || isTaken)) return refuse('wrongData')
  const before = replaced ?? joined
  const kept = (before?.keys ?? []).filter(({ id }) => !added.some((each) => each.id === id))
  const { counter, failures } = joined ?? { counter: 0, failures: 0 }
  const set: StoredKeySet = { version, keys: [...kept, ...added], counter, failures }
  write((next) => {
    const domain = domainData(next, session.selected)
    if (domain) {
      const isAdded = (id: number) => added.some((each) => each.id === id)
      dropCertificates(domain, (id, of) => of === p1 && (version !== p1 || isAdded(id)))
      domain.keySets = before
        ? domain.keySets.map((each) => (each.version === before.version ? set : each))
        : [...domain.keySets, set]
    }
    // A supplementary domain with its own key set is personalized.
    const application = applicationOf(next, session.selected)
    if (application?.lifeCycle === 0x07 && opensChannel(state)(set)) application.lifeCycle = 0x0f
  })
  return concat([version], ...keys.map(({ check }) => check))
}
