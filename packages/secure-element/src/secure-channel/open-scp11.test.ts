import { createPrivateKey, diffieHellman, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { expect, test } from 'vitest'
import { encodeCommand, encodeResponse, parseCommand } from '../apdu.ts'
import { concat, readHex, toHex } from '../bytes.ts'
import { cardMessaging } from '../card/card-messaging.ts'
import { aesKey } from '../crypto/aes.ts'
import { getStatus } from '../host/commands.ts'
import type { SeTransport } from '../host/transport.ts'
import { ecPublicKey, publicKeyOf } from '../keys/signature.ts'
import { plainS16 } from '../testing/scp03-s16-vectors.ts'
import { scp11Keys as recorded, scp11Sessions } from '../testing/scp11-vectors.ts'
import { encodeTlv, parseTlv } from '../tlv.ts'
import { openScp11Channel, type OpenScp11Options } from './open-scp11.ts'
import { scp11Keys } from './scp11-keys.ts'

const privateKey = (hex: string) =>
  createPrivateKey({ key: Buffer.from(readHex(hex)), format: 'der', type: 'pkcs8' })

/** Answers the pieces of a certificate, then exactly the recorded commands. */
function recordedCard(rows: readonly (readonly [string, string])[]) {
  const left = [...rows]
  const certificate: Uint8Array[] = []
  const headers: string[] = []
  const transport: SeTransport = {
    transmit(bytes) {
      const hex = toHex(bytes)
      if (bytes[1] === 0x2a) {
        headers.push(hex.slice(0, 8))
        certificate.push(parseCommand(bytes).data)
        return Promise.resolve(readHex('9000'))
      }
      const [command, reply] = left.shift() ?? ['', '6F00']
      return hex === command
        ? Promise.resolve(readHex(reply))
        : Promise.reject(new Error(`Recorded ${command}, sent ${hex}`))
    },
  }
  return { transport, certificate, headers, left: () => left.length }
}

const [first] = scp11Sessions

const optionsOf = ({
  variant,
  keyLength,
  macLength,
  certificate,
}: (typeof scp11Sessions)[number]) =>
  ({
    variant,
    keyLength,
    macLength,
    keyVersion: 3,
    cardPoint: readHex(recorded.card),
    host: {
      key: privateKey(recorded.host),
      certificates: [readHex(recorded[certificate])],
      authority: { keyVersion: 3, keyId: 0x10 },
    },
    ephemeralKey: privateKey(recorded.ephemeral),
  }) satisfies OpenScp11Options

test.each(scp11Sessions)('repeats the recorded session of SCP$name', async (session) => {
  const card = recordedCard(session.rows)
  const channel = await openScp11Channel(card.transport, optionsOf(session))
  const isLong = session.certificate === 'x509'
  expect(card.headers).toEqual(isLong ? ['902A8310', '902A8310', '802A0310'] : ['802A0310'])
  expect(toHex(concat(...card.certificate))).toBe(recorded[session.certificate])
  const [[plain, reply]] = plainS16
  const { data } = await channel.send(parseCommand(readHex(plain)))
  expect(toHex(data)).toBe(reply)
  expect(card.left()).toBe(0)
})

test('another key of the card, or a changed receipt, closes the channel before anything else', async () => {
  if (!first) throw new Error('There are no sessions')
  const [[agreement, answer] = ['', '']] = first.rows
  const other = publicKeyOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)
  const point = other.algorithm === 'EC' ? other.point : new Uint8Array()
  const rows = [[agreement, answer]] as const
  await expect(
    openScp11Channel(recordedCard(rows).transport, { ...optionsOf(first), cardPoint: point }),
  ).rejects.toMatchObject({ code: 'wrongCardCryptogram' })
  const changed = `${answer.slice(0, -6)}00${answer.slice(-4)}`
  await expect(
    openScp11Channel(recordedCard([[agreement, changed]]).transport, optionsOf(first)),
  ).rejects.toMatchObject({ code: 'wrongCardCryptogram' })
})

test('a refused or malformed agreement, and a host without a certificate, are named', async () => {
  if (!first) throw new Error('There are no sessions')
  const [[agreement] = ['']] = first.rows
  const opening = (reply: string) =>
    openScp11Channel(recordedCard([[agreement, reply]]).transport, optionsOf(first))
  await expect(opening('6A88')).rejects.toMatchObject({ code: 'authenticationRefused' })
  await expect(opening('86019000')).rejects.toMatchObject({ code: 'malformedReply' })
  await expect(opening(`5F4901048601009000`)).rejects.toMatchObject({ code: 'wrongKeys' })
  const { host: _, ...alone } = optionsOf(first)
  await expect(openScp11Channel(recordedCard([]).transport, alone)).rejects.toMatchObject({
    code: 'wrongKeys',
  })
})

/** A card for variant b: only the card authenticates itself. */
function cardOfB(staticKey: KeyObject): SeTransport {
  let messaging: ReturnType<typeof cardMessaging> | undefined
  return {
    transmit(bytes) {
      const command = parseCommand(bytes)
      if (command.ins === 0x88) {
        const hostPoint = parseTlv(command.data).find(({ tag }) => tag === '5F49')
        const publicKey = ecPublicKey(command.data.slice(hostPoint?.valueFrom, hostPoint?.to))
        const own = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
        const key = publicKeyOf(own)
        const object = encodeTlv([
          { tag: '5F49', value: key.algorithm === 'EC' ? key.point : new Uint8Array() },
        ])
        const secrets = [own, staticKey].map((privateKey) =>
          concat(diffieHellman({ privateKey, publicKey })),
        )
        const keys = scp11Keys(secrets, 16)
        const receipt = aesKey(keys.receipt).mac(command.data, object)
        messaging = cardMessaging('SCP03', 0x70, keys, receipt)
        messaging.raise(0x33)
        const data = concat(object, encodeTlv([{ tag: '86', value: receipt }]))
        return Promise.resolve(encodeResponse({ data, statusWord: 0x9000 }))
      }
      const plain = messaging?.unwrap(command)
      const data = plain ? encodeCommand(plain) : new Uint8Array()
      const reply = { data, statusWord: plain ? 0x9000 : 0x6982 }
      return Promise.resolve(encodeResponse(messaging?.wrap(reply) ?? reply))
    },
  }
}

test('variant b needs no certificate of the host', async () => {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const { algorithm, ...rest } = publicKeyOf(key)
  const cardPoint = algorithm === 'EC' && 'point' in rest ? rest.point : new Uint8Array()
  const channel = await openScp11Channel(cardOfB(key), { variant: 'b', keyVersion: 1, cardPoint })
  for (const _ of [1, 2]) {
    const { data } = await channel.send(getStatus({ subset: 'issuer' }))
    expect(toHex(data)).toBe('80F28002024F0000')
  }
})
