import { diffieHellman, type KeyObject } from 'node:crypto'
import type { Command } from '../apdu.ts'
import { byteAt, concat, readHex, toHex } from '../bytes.ts'
import { aesKey, isAesKeyLength } from '../crypto/aes.ts'
import { ecPublicKey, publicKeyOf } from '../keys/signature.ts'
import { parseCertificate } from '../secure-channel/certificate.ts'
import { privateKeyOf } from '../secure-channel/ec-key.ts'
import { scp11Keys, sharedInfo } from '../secure-channel/scp11-keys.ts'
import { encodeTlv, parseTlv } from '../tlv.ts'
import { cardMessaging } from './card-messaging.ts'
import { random, type CardState, type DomainData, type StoredKey } from './card-state.ts'
import { domainData } from './domains.ts'
import { refuse } from './refusal.ts'
import type { CardContext, Channel, KnownHost, Volatile } from './volatile.ts'

const level = 0x33

/** The instruction and the parameter of the agreement, by the id of the card's key. */
const variants: Record<number, { ins: number; parameter: number }> = {
  0x11: { ins: 0x82, parameter: 0x01 },
  0x13: { ins: 0x88, parameter: 0x00 },
  0x15: { ins: 0x82, parameter: 0x03 },
}
const maxCertificateLength = 2048

/** Ids of authorities' public keys; keys for tokens and signatures verify no host. */
export const isAuthority = (id: number): boolean => id === 0x10 || (id >= 0x20 && id <= 0x2f)

/** A key of the selected domain itself: SCP11 keys are not inherited. */
function keyOf(state: CardState, selected: string, keyVersion: number, keyId: number): StoredKey {
  const sets = domainData(state, selected)?.keySets ?? []
  const set = sets.find(({ version }) => version === keyVersion)
  return set?.keys.find(({ id }) => id === keyId) ?? refuse('missingReference')
}

/** GET DATA of a key's certificates; a control reference template names the key. */
export function certificatesOf({ certificates = {} }: DomainData, data: Uint8Array): Uint8Array {
  const [template] = parseTlv(data)
  const reference = template?.children?.find(({ tag }) => tag === '83')
  if (template?.tag !== 'A6' || !reference) return refuse('wrongData')
  const found = certificates[toHex(data.subarray(reference.valueFrom, reference.to))]
  const value = readHex(found ?? refuse('missingReference'))
  return encodeTlv([{ tag: 'BF21', value }])
}

/**
 * GET DATA of a domain's authorities with their keys: those that certify hosts (`FF33`), whose keys
 * are public, or those that certify the card's own keys (`FF34`).
 */
export function authoritiesOf(
  { keySets, authorities = {} }: DomainData,
  { tag, ofHosts }: { tag: string; ofHosts: boolean },
): Uint8Array {
  const value = Object.entries(authorities).flatMap(([reference, identifier]) => {
    const [keyId = 0, keyVersion = 0] = readHex(reference)
    const set = keySets.find(({ version }) => version === keyVersion)
    const key = set?.keys.find(({ id }) => id === keyId)
    return key && (key.algorithm === 'EC') === ofHosts
      ? [
          { tag: '42', value: readHex(identifier) },
          { tag: '83', value: readHex(reference) },
        ]
      : []
  })
  return value.length > 0 ? encodeTlv([{ tag, value }]) : refuse('missingReference')
}

/**
 * PERFORM SECURITY OPERATION: the host's next certificate. The first one is signed with a key of the
 * card, each later one with that of the previous one. Dates are not checked: a card has no clock.
 */
export function takeCertificate(
  { state, session }: CardContext,
  { p1: keyVersion, p2, data }: Command,
): KnownHost {
  const [keyId, isLast] = [p2 & 0x7f, (p2 & 0x80) === 0]
  const before = session.host
  session.host = undefined
  if (data.length > maxCertificateLength) return refuse('wrongLength')
  const isNext = before && !before.isLast && before.keyVersion === keyVersion
  const signer =
    isNext && before.keyId === keyId ? before.point : authorityOf(state, session, keyVersion, keyId)
  const found = parseCertificate(data)
  if (!found.isSignedBy(signer)) return refuse('notSecure')
  if (!found.usages.includes(isLast ? 'agreement' : 'signature')) return refuse('wrongData')
  const { allowed = {} } = domainData(state, session.selected) ?? {}
  const list = allowed[toHex(Uint8Array.of(keyId, keyVersion))]
  if (isLast && list && !list.includes(serialNumberOf(found.serialNumber)))
    return refuse('notSecure')
  return { keyVersion, keyId, isLast, point: found.point }
}

/** Hosts write serial numbers with or without leading zeros. */
export const serialNumberOf = (hex: string): string => hex.replace(/^(?:00)+(?=.)/, '')

function authorityOf(
  state: CardState,
  { selected }: Volatile,
  keyVersion: number,
  keyId: number,
): Uint8Array {
  const { algorithm, value } = keyOf(state, selected, keyVersion, keyId)
  return algorithm === 'EC' && isAuthority(keyId) ? readHex(value) : refuse('missingReference')
}

/** MUTUAL or INTERNAL AUTHENTICATE: the reply with its receipt, and the channel that it opens. */
export function agree(
  context: CardContext,
  { ins, p1: keyVersion, p2: keyId, data }: Command,
): { data: Uint8Array; channel: Channel } {
  const { state, session, hasOtherKeys } = context
  const { host } = session
  session.host = undefined
  const variant = variants[keyId]
  if (variant?.ins !== ins) return refuse('missingReference')
  const stored = keyOf(state, session.selected, keyVersion, keyId)
  if (stored.algorithm !== 'ECPrivate') return refuse('missingReference')
  const { keyLength, point } = readAgreement(data, variant.parameter)
  const isHostUnknown = variant.parameter === 0
  if (!isHostUnknown && !host?.isLast) return refuse('notNow')
  const hostPoint = isHostUnknown || !host ? point : host.point
  const own = ownKey(stored, hasOtherKeys)
  // With SCP11c, whose commands are prepared without the card, its static key is used instead.
  const ephemeral = variant.parameter === 0x03 ? own : freshKey(context)
  const keys = scp11Keys([secret(ephemeral, point), secret(own, hostPoint)], keyLength)
  const object = encodeTlv([{ tag: '5F49', value: pointOf(ephemeral) }])
  const receipt = aesKey(keys.receipt).mac(data, object)
  const { implementation } = domainData(state, session.selected) ?? refuse('notNow')
  const messaging = cardMessaging('SCP03', implementation, keys, receipt)
  messaging.raise(level)
  return {
    data: concat(object, encodeTlv([{ tag: '86', value: receipt }])),
    channel: { messaging, level, keyVersion, dek: keys.dek, isHostUnknown },
  }
}

function ownKey({ value }: StoredKey, hasOtherKeys: boolean): KeyObject {
  const scalar = readHex(value)
  return privateKeyOf(hasOtherKeys ? scalar.map((byte) => byte ^ 0x01) : scalar)
}

function freshKey({ write }: CardContext): KeyObject {
  let scalar = new Uint8Array()
  write((next) => {
    scalar = new Uint8Array(random(next, 32))
  })
  return privateKeyOf(scalar)
}

function pointOf(key: KeyObject): Uint8Array {
  const found = publicKeyOf(key)
  return found.algorithm === 'EC' ? found.point : refuse('notNow')
}

/**
 * Parses the control reference template: this card supports only AES with MAC and encryption both
 * ways.
 */
function readAgreement(data: Uint8Array, parameter: number) {
  const [template, key, ...others] = parseTlv(data)
  if (template?.tag !== 'A6' || key?.tag !== '5F49' || others.length > 0) return refuse('wrongData')
  const fields = Object.fromEntries(
    (template.children ?? []).map(({ tag, valueFrom, to }) => [tag, data.subarray(valueFrom, to)]),
  )
  const keyLength = byteAt(fields['81'] ?? refuse('wrongData'), 0)
  if (!isAesKeyLength(keyLength)) return refuse('wrongData')
  const [usage = 0, type = 0] = sharedInfo(keyLength)
  const wanted = { '90': [0x11, parameter], '95': [usage], '80': [type], '81': [keyLength] }
  for (const [tag, value] of Object.entries(wanted))
    if (toHex(fields[tag] ?? refuse('wrongData')) !== toHex(Uint8Array.from(value)))
      return refuse('wrongData')
  if (template.children?.length !== Object.keys(wanted).length) return refuse('wrongData')
  return { keyLength, point: data.slice(key.valueFrom, key.to) }
}

/** @throws DecodeError for a point that is not on the curve, before it is used. */
const secret = (privateKey: KeyObject, point: Uint8Array): Uint8Array =>
  concat(diffieHellman({ privateKey, publicKey: ecPublicKey(point) }))
