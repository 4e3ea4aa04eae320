import { createCipheriv } from 'node:crypto'
import { expect, test } from 'vitest'
import { encodeCommand, parseCommand } from '../apdu.ts'
import { readHex, toHex } from '../bytes.ts'
import type { KeySet } from '../secure-channel/key-set.ts'
import { scp02SessionKeys } from '../secure-channel/scp02-keys.ts'
import { scp03SessionKeys } from '../secure-channel/scp03-keys.ts'
import { isSecurityLevel } from '../secure-channel/security-level.ts'
import { plainS16, sessionsS16 } from '../testing/scp03-s16-vectors.ts'
import { plainCases, plainReply, plainStore, sessions } from '../testing/scp03-vectors.ts'
import { cardMessaging, type CardMessaging } from './card-messaging.ts'
import { newCard } from './card-state.ts'
import { softwareCard } from './software-card.ts'

const unwrapped = (messaging: CardMessaging, hex: string) => {
  const plain = messaging.unwrap(parseCommand(readHex(hex)))
  return plain && toHex(encodeCommand(plain))
}

const keySet = (keys: Record<keyof KeySet, string>): KeySet => ({
  enc: readHex(keys.enc),
  mac: readHex(keys.mac),
  dek: readHex(keys.dek),
})

// pySim's recorded sessions, from the card's side.
test.each(sessions)('unwraps recorded commands and wraps the recorded reply: $name', (session) => {
  const { initialize, greeting, authenticate, store, reply, cases, level, keys } = session
  const messaging = cardMessaging(
    'SCP03',
    0x70,
    scp03SessionKeys(
      keySet(keys),
      readHex(initialize.slice(10, 26)),
      readHex(greeting.slice(26, 42)),
    ),
  )
  expect(unwrapped(messaging, authenticate)).toBe(
    `80${authenticate.slice(2, 8)}08${authenticate.slice(10, 26)}`.toUpperCase(),
  )
  if (isSecurityLevel(level)) messaging.raise(level)
  expect(unwrapped(messaging, store)).toBe(plainStore)
  const { data } = messaging.wrap({ data: readHex(plainReply), statusWord: 0x9000 })
  expect(toHex(data)).toBe(reply.toUpperCase())
  for (const [index, each] of cases.entries())
    expect(unwrapped(messaging, each)).toBe(plainCases[index])
})

// OpenSCP's recorded sessions in S16 mode. Its card pads replies with an extra block, so they cannot
// be compared with ours.
test.each(sessionsS16)('unwraps what was recorded in S16 mode: $name', (session) => {
  const { initialize, greeting, authenticate, exchanges, keys } = session
  const [host, own] = [readHex(initialize.slice(10, 42)), readHex(greeting.slice(26, 58))]
  const messaging = cardMessaging('SCP03', 0x71, scp03SessionKeys(keySet(keys), host, own))
  expect(unwrapped(messaging, authenticate)).toBe(`8082330010${authenticate.slice(10, 42)}`)
  messaging.raise(0x33)
  const plain = exchanges.map(([command]) => unwrapped(messaging, command))
  expect(plain).toEqual(plainS16.map(([command]) => command))
})

test.each(sessions)(
  'a card with the recorded keys gives the recorded greeting: $name',
  async (session) => {
    const { initialize, greeting, authenticate, keys } = session
    const version = Number.parseInt(initialize.slice(4, 6), 16)
    const state = newCard({
      seed: 'recorded',
      // The challenge is derived from the AID of the recorded eUICC.
      issuerAid: 'A0000005591010FFFFFFFF8900000100',
      keys: { version, ...keys },
    })
    const [set] = state.keySets
    if (set) set.counter = Number.parseInt(greeting.slice(-6), 16) - 1
    const card = softwareCard(state)
    const answer = toHex(await card.transmit(readHex(initialize)))
    // Follows the card's own diversification data.
    expect(answer.slice(20)).toBe(`${greeting.slice(20)}9000`.toUpperCase())
    expect(toHex(await card.transmit(readHex(authenticate)))).toBe('9000')
  },
)

const encrypted = (key: Uint8Array, block: string) => {
  const cipher = createCipheriv('des-ede3', Buffer.concat([key, key.subarray(0, 8)]), null)
  return toHex(cipher.setAutoPadding(false).update(readHex(block)))
}

// kaoh/globalplatform 8dd2f1b, scp02Test.c.
test('unwraps recorded commands of SCP02', () => {
  const key = readHex('404142434445464748494A4B4C4D4E4F')
  const keys = { enc: key, mac: key, dek: key }
  const withMac = cardMessaging('SCP02', 0x15, scp02SessionKeys(keys, readHex('069F')))
  expect(unwrapped(withMac, '84820100107C799B3C771DBAE6BEF49310977617BA')).toBe(
    '80820100087C799B3C771DBAE6',
  )
  expect(unwrapped(withMac, '84F220020A4F00BB6E71C0EFCFCF0D00')).toBe('80F22002024F0000')
  const withEncryption = cardMessaging('SCP02', 0x15, scp02SessionKeys(keys, readHex('06A1')))
  unwrapped(withEncryption, '848203001005814C116071EB67D8BA9D9879454564')
  withEncryption.raise(0x03)
  expect(
    unwrapped(withEncryption, '84E4008018BC146FA0403BE4BAD3BC089E4ABD8674DA7EFEA21047B85800'),
  ).toBe('80E400800A4F08D0D1D2D3D4D5010100')
  expect(
    unwrapped(withEncryption, '84E4008018C2748C1669FAFC0E20C5253680388A4A49C9A6038D77B45700'),
  ).toBe('80E40080094F07D0D1D2D3D4D50100')
})

test('an SCP02 card takes an encrypted block of padding, and no block, for no data', () => {
  const key = readHex('404142434445464748494A4B4C4D4E4F')
  const keys = scp02SessionKeys({ enc: key, mac: key, dek: key }, readHex('0000'))
  const made = () => {
    const messaging = cardMessaging('SCP02', 0x15, keys)
    messaging.raise(0x03)
    return messaging
  }
  // The MAC covers 84F2800208 in both forms: one padded block.
  const mac = encrypted(keys.mac, '84F2800208800000')
  expect(unwrapped(made(), `84F2800208${mac}`)).toBe('80F28002')
  const block = encrypted(keys.enc, '8000000000000000')
  expect(unwrapped(made(), `84F2800210${block}${mac}`)).toBe('80F28002')
})
