import { expect, test } from 'vitest'
import { concat, readHex, toHex } from '../bytes.ts'
import { cardProfiles } from '../card/card-profile.ts'
import { newCard } from '../card/card-state.ts'
import { scp11Example } from '../card/scp11-example.ts'
import { softwareCard } from '../card/software-card.ts'
import { getData, getStatus } from '../host/commands.ts'
import { makeCertificate, pointOf } from '../testing/make-certificate.ts'
import { encodeTlv } from '../tlv.ts'
import { keyIdentifier } from './certificate.ts'
import { privateKeyOf } from './ec-key.ts'
import { openScp11Channel, type OpenScp11Options } from './open-scp11.ts'
import type { CardTrust } from './verify-certificates.ts'

const { authority, card: cardScalar, host: hostScalar } = scp11Example
const other = '11'.repeat(32)
const now = Date.UTC(2030, 5, 1)
const trust: CardTrust = { authorities: [pointOf(authority)], now }
const subject = keyIdentifier(pointOf(cardScalar))

/**
 * A card of the profile with other certificates for each of its keys, and the instructions it
 * receives.
 */
function cardWith(certificates?: Uint8Array) {
  const state = newCard({ ...cardProfiles.scp11, seed: 'certificates' })
  if (certificates)
    for (const reference of Object.keys(state.certificates ?? {}))
      state.certificates = { ...state.certificates, [reference]: toHex(certificates) }
  const card = softwareCard(state)
  const instructions: number[] = []
  const transmit = (bytes: Uint8Array) => {
    instructions.push(bytes[1] ?? 0)
    return card.transmit(bytes)
  }
  return { transmit, instructions }
}

const ofB = (more: Partial<CardTrust> = {}): OpenScp11Options => ({
  variant: 'b',
  keyVersion: 1,
  trust: { ...trust, ...more },
})

const ofCard = makeCertificate({ of: cardScalar, by: authority })
const between = makeCertificate({ of: other, by: authority, usage: '82' })

test.each<[string, Uint8Array | undefined]>([
  ['as X.509', undefined],
  ['of GlobalPlatform', ofCard],
  ['below another one', concat(between, makeCertificate({ of: cardScalar, by: other }))],
])('SCP11b opens once the certificate is verified: %s', async (_, certificates) => {
  const card = cardWith(certificates)
  const channel = await openScp11Channel(card, ofB({ subject: subject.toLowerCase() }))
  expect((await channel.send(getData({ tag: '66' }))).statusWord).toBe(0x9000)
  expect(card.instructions[0]).toBe(0xca)
})

test.each(['a', 'c'] as const)(
  'SCP11%s verifies the card before it shows itself',
  async (variant) => {
    const host = {
      key: privateKeyOf(readHex(hostScalar)),
      certificates: [readHex(scp11Example.hostCertificate)],
      authority: { keyVersion: 1, keyId: 0x10 },
    }
    const channel = await openScp11Channel(cardWith(), { ...ofB(), variant, host })
    expect((await channel.send(getStatus({ subset: 'issuer' }))).statusWord).toBe(0x9000)
    const card = cardWith(makeCertificate({ of: cardScalar, by: other }))
    await expect(openScp11Channel(card, { ...ofB(), variant, host })).rejects.toMatchObject({
      code: 'unknownAuthority',
    })
    expect(card.instructions).toEqual([0xca])
  },
)

const spoiled = ofCard.slice()
spoiled[spoiled.length - 1] = (spoiled.at(-1) ?? 0) ^ 1
const otherSubject = keyIdentifier(pointOf(other))

test.each<[Uint8Array, Partial<CardTrust>, string, string]>([
  [
    makeCertificate({ of: cardScalar, by: other }),
    {},
    'unknownAuthority',
    `The certificate of the card was issued by an authority that is not trusted: ${otherSubject}`,
  ],
  [
    ofCard,
    { authorities: [] },
    'unknownAuthority',
    `The certificate of the card was issued by an authority that is not trusted: ${keyIdentifier(pointOf(authority))}`,
  ],
  [
    spoiled,
    {},
    'wrongSignature',
    `The signature of the certificate of the card is wrong: ${subject}`,
  ],
  [
    concat(between, makeCertificate({ of: cardScalar, by: authority })),
    {},
    'unknownAuthority',
    `The certificate of the card was issued by an authority that is not trusted: ${keyIdentifier(pointOf(authority))}`,
  ],
  [
    concat(
      makeCertificate({ of: other, by: authority }),
      makeCertificate({ of: cardScalar, by: other }),
    ),
    {},
    'wrongUsage',
    `The certificate of the card is for another use: ${otherSubject} is not for signing certificates`,
  ],
  [
    makeCertificate({ of: cardScalar, by: authority, usage: '82' }),
    {},
    'wrongUsage',
    `The certificate of the card is for another use: ${subject} is not for agreeing on keys`,
  ],
  [
    makeCertificate({ of: cardScalar, by: authority, to: '20300531' }),
    {},
    'expired',
    'The certificate of the card has expired: its last day was 2030-05-31',
  ],
  [
    concat(
      makeCertificate({ of: other, by: authority, usage: '82', to: '20300531' }),
      makeCertificate({ of: cardScalar, by: other }),
    ),
    {},
    'expired',
    'The certificate of the card has expired: its last day was 2030-05-31',
  ],
  [
    makeCertificate({ of: cardScalar, by: authority, from: '20300602' }),
    {},
    'notYetValid',
    'The certificate of the card is not valid yet: it begins on 2030-06-02',
  ],
  [
    ofCard,
    { subject: otherSubject },
    'otherSubject',
    `The certificate is that of another card: expected ${otherSubject}, found ${subject}`,
  ],
])('a card that is not believed gets no agreement (%#)', async (bytes, more, code, message) => {
  const card = cardWith(bytes)
  await expect(openScp11Channel(card, ofB(more))).rejects.toMatchObject({
    name: 'CertificateError',
    code,
    message,
  })
  expect(card.instructions.filter((ins) => ins !== 0xca && ins !== 0xc0)).toEqual([])
})

test('the last day counts', async () => {
  const card = cardWith(
    makeCertificate({ of: cardScalar, by: authority, from: '20300601', to: '20300601' }),
  )
  expect((await openScp11Channel(card, ofB())).state()).toBe('open')
})

const answering = (hex: string) => ({ transmit: () => Promise.resolve(readHex(hex)) })

test.each([
  ['6A88', 'noCertificate', 'The card has no certificate for this key: 6A88'],
  ['9000', 'noCertificate', 'The card has no certificate for this key'],
  ['BF21009000', 'noCertificate', 'The card has no certificate for this key'],
  [
    `${toHex(encodeTlv([{ tag: 'BF21', value: ofCard.slice(0, -1) }]))}9000`,
    'malformedCertificate',
    /^The certificate of the card cannot be read: cutOff/,
  ],
  ['53009000', 'malformedCertificate', /^The certificate of the card cannot be read: wrongTag/],
  ['00', 'malformedCertificate', 'The certificate of the card cannot be read'],
])('a reply of %s is told as what it is', async (hex, code, message) => {
  await expect(openScp11Channel(answering(hex), ofB())).rejects.toMatchObject({
    code,
    message: typeof message === 'string' ? message : expect.stringMatching(message),
  })
})

test('a transport that fails is not the fault of a certificate', async () => {
  const transport = { transmit: () => Promise.reject(new Error('The reader is gone')) }
  await expect(openScp11Channel(transport, ofB())).rejects.toMatchObject({
    code: 'transportFailed',
  })
})
