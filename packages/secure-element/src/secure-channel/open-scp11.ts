import { diffieHellman, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { Command, Response } from '../apdu.ts'
import { concat } from '../bytes.ts'
import { aesKey } from '../crypto/aes.ts'
import { DecodeError } from '../decode-error.ts'
import { byteOf, command } from '../host/fields.ts'
import { exchange, type SeTransport } from '../host/transport.ts'
import { encryptKey } from '../keys/encrypt-key.ts'
import { ecPublicKey, publicKeyOf } from '../keys/signature.ts'
import { encodeTlv, parseTlv } from '../tlv.ts'
import { secureChannel, type ChannelExchange, type SecureChannel } from './channel.ts'
import { ChannelError } from './channel-error.ts'
import { isSame } from './messaging.ts'
import { scp03Host } from './scp03-host.ts'
import { scp11Keys, sharedInfo, type Scp11Variant } from './scp11-keys.ts'
import { readCertificates, verifyCertificates, type CardTrust } from './verify-certificates.ts'

/** Parameter of the agreement, and the id of the card's key (GlobalPlatform Amendment F, 7.1.1). */
const variants = {
  a: { parameter: 0x01, keyId: 0x11 },
  b: { parameter: 0x00, keyId: 0x13 },
  c: { parameter: 0x03, keyId: 0x15 },
} as const

/** The host's static key, on P-256, and its certificate chain as the card knows it. */
export interface Scp11Host {
  key: KeyObject
  /** The last one is the key's own. */
  certificates: readonly Uint8Array[]
  /** The card's key for the authority that issued the first one. */
  authority: { keyVersion: number; keyId: number }
}

interface Scp11Settings {
  variant: Scp11Variant
  keyVersion: number
  /** For the variants `a` and `c`. */
  host?: Scp11Host
  /** Length of session keys in bytes; default: 16. */
  keyLength?: 16 | 24 | 32
  /** 16 for keys that the card uses in S16 mode; default: 8. */
  macLength?: 8 | 16
  /** Replaces a new key pair: tests pass those of recorded sessions. */
  ephemeralKey?: KeyObject
  onExchange?: (exchange: ChannelExchange) => void
}

/**
 * What authenticates the card: its certificates, which are read and verified first, or the point of
 * its static key from a certificate verified earlier, 65 bytes.
 */
export type OpenScp11Options = Scp11Settings & ({ trust: CardTrust } | { cardPoint: Uint8Array })

const success = 0x9000
const level = 0x33
const maxPieceLength = 0xff
const chained = { cla: 0x10, p1: 0x80 } as const

/** PERFORM SECURITY OPERATION with a certificate, in as many pieces as needed. */
function certificateCommands(
  certificate: Uint8Array,
  { keyVersion, keyId }: Scp11Host['authority'],
  isLast: boolean,
): Command[] {
  const count = Math.max(1, Math.ceil(certificate.length / maxPieceLength))
  const p2 = byteOf(keyId, 0, 0x7f) | (isLast ? 0 : 0x80)
  return Array.from({ length: count }, (_, index) => {
    const piece = certificate.slice(index * maxPieceLength, (index + 1) * maxPieceLength)
    const made = command(0x2a, byteOf(keyVersion, 0, 0x7f), p2, piece)
    return index === count - 1
      ? made
      : { ...made, cla: made.cla | chained.cla, p1: made.p1 | chained.p1 }
  })
}

/**
 * Opens a channel with keys that both sides agree on (SCP11 on P-256 with AES): GET DATA of the
 * card's certificates if there are trusted authorities, the host's certificates, then MUTUAL or
 * INTERNAL AUTHENTICATE, each sent only once. Messages are those of SCP03 at level 33.
 * @throws CertificateError for a card that is not trusted, ChannelError for everything else
 */
export async function openScp11Channel(
  transport: SeTransport,
  options: OpenScp11Options,
): Promise<SecureChannel> {
  const { variant, keyVersion, host, keyLength = 16, macLength = 8, onExchange } = options
  const { parameter, keyId } = variants[variant]
  if (variant !== 'b' && (!host || host.certificates.length === 0))
    throw new ChannelError('wrongKeys', { expected: 'the key and certificate of the host' })
  const send = async (
    plain: Command,
    code: 'authenticationRefused' | 'certificateRefused' = 'authenticationRefused',
  ): Promise<Uint8Array> => {
    let reply: Response
    try {
      reply = await exchange(transport, plain, (each) => onExchange?.({ plain, ...each }))
    } catch (cause) {
      throw new ChannelError(cause instanceof DecodeError ? 'malformedReply' : 'transportFailed', {
        cause,
      })
    }
    const { data, statusWord } = reply
    if (statusWord !== success) throw new ChannelError(code, { statusWord })
    return data
  }
  const cardPoint =
    'cardPoint' in options
      ? options.cardPoint
      : verifyCertificates(
          await readCertificates(transport, { keyVersion, keyId }, onExchange),
          options.trust,
        ).point
  const certificates = variant === 'b' ? [] : (host?.certificates ?? [])
  for (const [index, certificate] of certificates.entries())
    for (const each of certificateCommands(
      certificate,
      host?.authority ?? { keyVersion: 0, keyId: 0 },
      index === certificates.length - 1,
    ))
      await send(each, 'certificateRefused')
  const ephemeralKey =
    options.ephemeralKey ?? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const asked = agreement(parameter, keyLength, ephemeralKey)
  const ins = variant === 'b' ? 0x88 : 0x82
  const answer = read(await send(command(ins, byteOf(keyVersion, 0, 0x7f), keyId, asked)))
  const staticKey = variant === 'b' || !host ? ephemeralKey : host.key
  const keys = scp11Keys(
    [secret(ephemeralKey, answer.point), secret(staticKey, cardPoint)],
    keyLength,
  )
  if (!isSame(aesKey(keys.receipt).mac(asked, answer.object), answer.receipt))
    throw new ChannelError('wrongCardCryptogram')
  const none = new Uint8Array()
  const opened = secureChannel(transport, {
    greeting: {
      protocol: 'SCP03',
      diversificationData: none,
      keyVersion,
      challenge: none,
      cryptogram: none,
    },
    implementation: macLength === 16 ? 0x71 : 0x70,
    level,
    messaging: scp03Host(keys, level, macLength, answer.receipt),
    encryptKeys: (added) => added.map((key) => encryptKey('SCP03', keys.dek, key)),
    onExchange,
  })
  return { ...opened, agreement: variant }
}

/** The control reference template and the host's ephemeral key. */
function agreement(parameter: number, keyLength: number, ephemeralKey: KeyObject): Uint8Array {
  const ephemeral = publicKeyOf(ephemeralKey)
  if (ephemeral.algorithm !== 'EC') throw new ChannelError('wrongKeys', { expected: 'P-256' })
  const [usage = 0, type = 0, length = 0] = sharedInfo(keyLength)
  return encodeTlv([
    {
      tag: 'A6',
      value: [
        { tag: '90', value: Uint8Array.of(0x11, parameter) },
        { tag: '95', value: Uint8Array.of(usage) },
        { tag: '80', value: Uint8Array.of(type) },
        { tag: '81', value: Uint8Array.of(length) },
      ],
    },
    { tag: '5F49', value: ephemeral.point },
  ])
}

/** The card's ephemeral key, as an object and as a point, and the receipt. */
function read(data: Uint8Array) {
  try {
    const [key, proof] = parseTlv(data)
    if (key?.tag === '5F49' && proof?.tag === '86')
      return {
        object: data.slice(key.from, key.to),
        point: data.slice(key.valueFrom, key.to),
        receipt: data.slice(proof.valueFrom, proof.to),
      }
  } catch (cause) {
    if (!(cause instanceof DecodeError)) throw cause
    throw new ChannelError('malformedReply', { cause })
  }
  throw new ChannelError('malformedReply', { expected: '5F49, 86' })
}

function secret(privateKey: KeyObject, point: Uint8Array): Uint8Array {
  try {
    return concat(diffieHellman({ privateKey, publicKey: ecPublicKey(point) }))
  } catch (cause) {
    throw new ChannelError('wrongKeys', { expected: 'P-256', cause })
  }
}
