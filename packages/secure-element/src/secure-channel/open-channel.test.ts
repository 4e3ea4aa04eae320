import { expect, test } from 'vitest'
import { readHex } from '../bytes.ts'
import type { SeTransport } from '../host/transport.ts'
import { recordedCard } from '../testing/recorded-card.ts'
import { ChannelError } from './channel-error.ts'
import { staticKeys } from './key-source.ts'
import { openSecureChannel, type OpenOptions } from './open-channel.ts'

const key = readHex('404142434445464748494A4B4C4D4E4F')
const initialize = '80500000082C8130E574247B1B00'
const greeting = '00010203040506070809000370A5874C57119B976BF94879E36F29E039000001'
const authenticate = '8482330010A75F1CD48F3B93DFA57E690937921F92'
const options: OpenOptions = {
  keys: staticKeys({ enc: key, mac: key, dek: key }),
  level: 0x33,
  hostChallenge: readHex('2C8130E574247B1B'),
}

/** The error of opening, and the commands that the card received. */
async function failure(rows: [string, string][], changed: Partial<OpenOptions> = {}) {
  const card = recordedCard(...rows)
  const error = await openSecureChannel(card.transport, { ...options, ...changed }).then(
    () => new Error('It opened'),
    (each: unknown) => each,
  )
  expect(error).toBeInstanceOf(ChannelError)
  return { error, sent: card.sent }
}

test('stops before EXTERNAL AUTHENTICATE when the card cryptogram is wrong', async () => {
  const wrong = `${greeting.slice(0, -7)}8000001`
  const { error, sent } = await failure([[initialize, `${wrong}9000`]])
  expect(error).toMatchObject({ code: 'wrongCardCryptogram' })
  expect(sent).toEqual([initialize])
  const other = readHex('00'.repeat(16))
  const withOther = await failure([[initialize, `${greeting}9000`]], {
    keys: staticKeys({ enc: other, mac: other, dek: other }),
  })
  expect(withOther.error).toMatchObject({ code: 'wrongCardCryptogram' })
  expect(withOther.sent).toEqual([initialize])
})

test.each<[string, string, Partial<OpenOptions>, object]>([
  ['a refused INITIALIZE UPDATE', '6A88', {}, { code: 'initializeRefused', statusWord: 0x6a88 }],
  ['a locked card', '6983', {}, { code: 'initializeRefused', statusWord: 0x6983 }],
  ['a short reply', '00019000', {}, { code: 'malformedReply' }],
  ['no status word', '00', {}, { code: 'malformedReply' }],
  ['a reply that is cut off', `${greeting.slice(0, -2)}9000`, {}, { code: 'malformedReply' }],
  [
    'another protocol',
    `${greeting}9000`,
    { protocol: 'SCP02' },
    { code: 'otherProtocol', expected: 'SCP02', found: 'SCP03' },
  ],
  ['SCP01', `${greeting.slice(0, 22)}01${greeting.slice(24)}9000`, {}, { code: 'malformedReply' }],
  [
    'option 72',
    `${greeting.slice(0, 24)}72${greeting.slice(26)}9000`,
    {},
    { code: 'unsupportedImplementation', found: '72' },
  ],
  [
    'option 71 without the longer challenge',
    `${greeting.slice(0, 24)}71${greeting.slice(26)}9000`,
    {},
    { code: 'malformedReply' },
  ],
  [
    'a level that option 10 does not have',
    `${greeting.slice(0, 24)}10${greeting.slice(26)}9000`,
    {},
    { code: 'unsupportedLevel', expected: '00 / 01 / 03', found: '33' },
  ],
  [
    'keys of a wrong length',
    `${greeting}9000`,
    { keys: staticKeys({ enc: key, mac: key.slice(1), dek: key }) },
    { code: 'wrongKeys', found: '15' },
  ],
])('reports %s and sends nothing more', async (_, reply, changed, expected) => {
  const { error, sent } = await failure([[initialize, reply]], changed)
  expect(error).toMatchObject(expected)
  expect(sent).toEqual([initialize])
})

test('refuses a key version that it did not ask for', async () => {
  const asked = initialize.replace('805000', '805030')
  const { error } = await failure([[asked, `${greeting}9000`]], { keyVersion: 0x30 })
  expect(error).toMatchObject({ code: 'otherKeyVersion', expected: '30', found: '00' })
})

/** A card's answers to INITIALIZE UPDATE, by the length of the challenge. */
async function lengthsAsked(answers: Record<number, string>, more: Partial<OpenOptions> = {}) {
  const lengths: number[] = []
  const { hostChallenge: _, ...others } = options
  const transport: SeTransport = {
    transmit(command) {
      const [, , , , length = 0] = command
      lengths.push(length)
      return Promise.resolve(readHex(answers[length] ?? '6D00'))
    },
  }
  const opening = openSecureChannel(transport, { ...others, ...more })
  const error: unknown = await opening.catch((each: unknown) => each)
  return { lengths, error }
}

const longGreeting = `${greeting.slice(0, 24)}71${greeting.slice(26, 58)}${greeting.slice(26, 58)}0000019000`

test.each<[string, Record<number, string>, number[], Partial<OpenOptions>]>([
  ['a card that refuses the length', { 8: '6700', 16: longGreeting }, [8, 16], {}],
  ['one that announces the other', { 8: longGreeting, 16: longGreeting }, [8, 16], {}],
  ['one that is known to', { 16: longGreeting }, [16], { challengeLength: 16 }],
  [
    'one in S8 mode after all',
    { 8: `${greeting}9000`, 16: '6700' },
    [16, 8],
    { challengeLength: 16 },
  ],
])('tries the other length of challenges once: %s', async (_, answers, expected, more) => {
  const { lengths, error } = await lengthsAsked(answers, more)
  expect(lengths).toEqual(expected)
  expect(error).toMatchObject({ code: 'wrongCardCryptogram' })
})

test('gives up when the card takes neither length, and sends a given challenge once', async () => {
  const refused = await lengthsAsked({ 8: '6700', 16: '6700' })
  expect(refused.lengths).toEqual([8, 16])
  expect(refused.error).toMatchObject({ code: 'initializeRefused', statusWord: 0x6700 })
  const given = await failure([[initialize, '6700']])
  expect(given.error).toMatchObject({ code: 'initializeRefused' })
  const mixed = await lengthsAsked({ 8: '6700', 16: `${greeting}9000` })
  expect(mixed.error).toMatchObject({ code: 'malformedReply' })
})

test('reports a refused EXTERNAL AUTHENTICATE', async () => {
  const { error, sent } = await failure([
    [initialize, `${greeting}9000`],
    [authenticate, '6300'],
  ])
  expect(error).toMatchObject({ code: 'authenticationRefused', statusWord: 0x6300 })
  expect(sent).toEqual([initialize, authenticate])
})

test('errors of a vault pass unchanged', async () => {
  const card = recordedCard([initialize, `${greeting}9000`])
  const vault = new Error('The vault is closed')
  const opening = openSecureChannel(card.transport, {
    ...options,
    keys: () => Promise.reject(vault),
  })
  await expect(opening).rejects.toBe(vault)
  expect(card.sent).toEqual([initialize])
})

const plain = { cla: 0x80, ins: 0xf2, p1: 0x80, p2: 2, data: readHex('4F00'), isExtended: false }

async function opened(...more: [string, string][]) {
  const card = recordedCard([initialize, `${greeting}9000`], [authenticate, '9000'])
  const replies = more.map(([, reply]) => reply)
  const transport: SeTransport = {
    transmit: (command) => {
      if (card.left() > 0) return card.transport.transmit(command)
      const reply = replies.shift()
      return reply === undefined
        ? Promise.reject(new Error('The reader is gone'))
        : Promise.resolve(readHex(reply))
    },
  }
  return openSecureChannel(transport, options)
}

test.each([
  ['9000', 'missingResponseMac'],
  ['00112233445566779000', 'wrongResponseMac'],
  ['00010203040506076310', 'wrongResponseMac'],
  ['016A80', 'unexpectedData'],
  ['00', 'malformedReply'],
])('closes after the reply %s: %s', async (reply, code) => {
  const channel = await opened(['', reply])
  await expect(channel.send(plain)).rejects.toMatchObject({ name: 'ChannelError', code })
  expect(channel.state()).toBe('closed')
  await expect(channel.send(plain)).rejects.toMatchObject({ code: 'closed' })
})

test('closes when it is unknown whether the card got the command', async () => {
  const channel = await opened()
  await expect(channel.send(plain)).rejects.toMatchObject({ code: 'transportFailed' })
  expect(channel.state()).toBe('closed')
})

test('stays open after an error status word', async () => {
  const channel = await opened(['', '6A88'], ['', '6985'])
  expect(await channel.send(plain)).toEqual({ data: new Uint8Array(), statusWord: 0x6a88 })
  expect(await channel.send(plain)).toMatchObject({ statusWord: 0x6985 })
  expect(channel.state()).toBe('open')
})

test('sends one command at a time', async () => {
  const channel = await opened(['', '6A88'])
  const first = channel.send(plain)
  expect(channel.state()).toBe('waiting')
  await expect(channel.send(plain)).rejects.toMatchObject({ code: 'busy' })
  expect(await first).toMatchObject({ statusWord: 0x6a88 })
})

test('stays open after a command that cannot be sent', async () => {
  const channel = await opened(['', '6A88'])
  const tooLong = { ...plain, data: new Uint8Array(240) }
  await expect(channel.send(tooLong)).rejects.toMatchObject({
    code: 'commandTooLong',
    expected: '239',
    found: '240',
  })
  await expect(channel.send({ ...plain, cla: 0x81 })).rejects.toMatchObject({
    code: 'unsupportedClass',
    found: '81',
  })
  await expect(channel.send({ ...plain, p1: 256 })).rejects.toMatchObject({ name: 'DecodeError' })
  expect(await channel.send(plain)).toMatchObject({ statusWord: 0x6a88 })
})
