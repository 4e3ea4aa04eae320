import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeCommand, type Command } from '../apdu.ts'
import { readHex, toHex } from '../bytes.ts'
import type { SeTransport } from '../host/transport.ts'
import { referenceCard } from '../testing/reference-card.ts'
import { staticKeys } from './key-source.ts'
import { openSecureChannel } from './open-channel.ts'
import {
  implementations,
  levelsOf,
  longestData,
  type Protocol,
  type SecurityLevel,
} from './security-level.ts'

const key = (length: number, first: number) =>
  Uint8Array.from({ length }, (_, index) => (first + index * 7) & 0xff)

interface Case {
  protocol: Protocol
  length: number
  option: number
  level: SecurityLevel
}

const cases = (['SCP02', 'SCP03'] as const).flatMap((protocol) =>
  (protocol === 'SCP02' ? [16] : [16, 24, 32]).flatMap((length) =>
    implementations[protocol].flatMap((option) =>
      levelsOf(protocol, option).map((level): Case => ({ protocol, length, option, level })),
    ),
  ),
)
const title = ({ protocol, length, option, level }: Case) =>
  `${protocol}, ${length} bytes, i = ${toHex(Uint8Array.of(option))}, level ${toHex(Uint8Array.of(level))}`

const keysOf = (length: number) => ({
  enc: key(length, 1),
  mac: key(length, 65),
  dek: key(length, 129),
})

function cardOf({ protocol, option, length }: Case, answer: (plain: string) => string) {
  const { enc, mac } = keysOf(length)
  return referenceCard({
    protocol: protocol === 'SCP02' ? 2 : 3,
    option,
    enc: toHex(enc),
    mac: toHex(mac),
    aid: issuerAid,
    answer,
  })
}

const open = (made: Case, transport: SeTransport) =>
  openSecureChannel(transport, {
    keys: staticKeys(keysOf(made.length)),
    level: made.level,
    scp02Implementation: made.option,
    // Only an implicit channel needs it: the reference card's challenge is not derived from an AID.
    ...((made.option & 0x04) === 0 && { aid: readHex(issuerAid) }),
  })

const issuerAid = 'a000000151000000'

const commands = (most: number) =>
  fc.array(
    fc.record({
      ins: fc.constantFrom(0xe2, 0xe4, 0xe6, 0xf2, 0xca),
      // With bit 80, an INSTALL of full length is a fragment of a longer one.
      p1: fc.nat(0x7f),
      p2: fc.nat(255),
      data: fc.oneof(
        fc.uint8Array({ maxLength: 40 }),
        fc.uint8Array({ minLength: most - 20, maxLength: most }),
      ),
      hasLe: fc.boolean(),
      reply: fc.uint8Array({ maxLength: 200 }),
      word: fc.constantFrom('9000', '6310', '6A88', '6200', '6985'),
    }),
    { minLength: 1, maxLength: 6 },
  )

test.each(cases.map((made) => [title(made), made] as const))(
  'a second implementation of the card understands every command: %s',
  async (_, made) => {
    const most = longestData(made.protocol, made.level, made.option)
    await fc.assert(
      fc.asyncProperty(commands(most), async (list) => {
        const replies = list.map(({ reply, word }) =>
          /^(9000|6[23])/.test(word) ? toHex(reply) + word : word,
        )
        const card = cardOf(made, () => replies[card.plain.length - 1] ?? '6F00')
        const channel = await open(made, card)
        for (const [index, { ins, p1, p2, data, hasLe }] of list.entries()) {
          const command: Command = {
            cla: 0x80,
            ins,
            p1,
            p2,
            data,
            ...(hasLe && { le: 256 }),
            isExtended: false,
          }
          const response = await channel.send(command)
          const word = response.statusWord.toString(16).toUpperCase()
          expect(toHex(response.data) + word).toBe(replies[index])
          expect(card.plain.at(-1)?.toUpperCase()).toBe(toHex(encodeCommand(command)))
        }
        expect(card.plain).toHaveLength(list.length)
      }),
      { numRuns: 8 },
    )
  },
)

test('any change of a protected reply is noticed', async () => {
  const made: Case = { protocol: 'SCP03', length: 16, option: 0x70, level: 0x33 }
  await fc.assert(
    fc.asyncProperty(fc.nat(25), fc.integer({ min: 1, max: 255 }), async (at, change) => {
      const card = cardOf(made, () => '01020304050607089000')
      let isOpen = false
      const channel = await open(made, {
        async transmit(command) {
          const reply = await card.transmit(command)
          if (isOpen) reply[at] = (reply[at] ?? 0) ^ change
          return reply
        },
      })
      isOpen = true
      const sending = channel.send({
        cla: 0x80,
        ins: 0xf2,
        p1: 0x80,
        p2: 2,
        data: readHex('4F00'),
        isExtended: false,
      })
      await expect(sending).rejects.toMatchObject({ name: 'ChannelError' })
      expect(channel.state()).toBe('closed')
    }),
    { numRuns: 100 },
  )
})

test('any replies of a card open no channel, and fail with a typed error', async () => {
  const replies = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 4 })
  const greeting = fc
    .tuple(fc.uint8Array({ minLength: 18, maxLength: 22 }), fc.constantFrom(2, 3), fc.nat(255))
    .map(([rest, protocol, option]) =>
      Uint8Array.of(...new Uint8Array(10), 0, protocol, option, ...rest.slice(1), 0x90, 0),
    )
  await fc.assert(
    fc.asyncProperty(fc.oneof(replies, fc.tuple(greeting)), async (list) => {
      const left = [...list]
      const opening = openSecureChannel(
        {
          transmit: () => {
            const reply = left.shift()
            return reply ? Promise.resolve(reply) : Promise.reject(new Error('The card is gone'))
          },
        },
        {
          keys: staticKeys(keysOf(16)),
          level: 0x01,
        },
      )
      await expect(opening).rejects.toMatchObject({ name: 'ChannelError' })
    }),
    { numRuns: 500 },
  )
})

test('cuts a long INSTALL, and its MAC covers the whole', async () => {
  const made: Case = { protocol: 'SCP03', length: 16, option: 0x70, level: 0x33 }
  const sent: string[] = []
  const card = cardOf(made, () => '9000')
  const channel = await open(made, {
    transmit: (command) => {
      sent.push(toHex(command))
      return card.transmit(command)
    },
  })
  const command: Command = {
    cla: 0x80,
    ins: 0xe6,
    p1: 0x0c,
    p2: 0,
    data: Uint8Array.from({ length: 300 }, (_, index) => index),
    le: 256,
    isExtended: false,
  }
  expect(await channel.send(command)).toMatchObject({ statusWord: 0x9000 })
  // 300 bytes padded to 304, plus the MAC: 312 in two fragments.
  expect(sent.slice(2).map((each) => each.slice(0, 10))).toEqual(['84E68C00FF', '84E60C0039'])
  expect(sent.slice(2).map((each) => each.slice(-2))).toEqual(['00', '00'])
  expect(card.plain).toEqual([`80e60c0000012c${toHex(command.data).toLowerCase()}00`])
  await expect(channel.send({ ...command, ins: 0xe2 })).rejects.toMatchObject({
    code: 'commandTooLong',
  })
  expect(channel.state()).toBe('open')
})
