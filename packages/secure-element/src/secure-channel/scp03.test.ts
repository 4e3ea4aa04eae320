import { expect, test } from 'vitest'
import { parseCommand } from '../apdu.ts'
import { readHex, toHex } from '../bytes.ts'
import { recordedCard } from '../testing/recorded-card.ts'
import { plainS16, sessionsS16 } from '../testing/scp03-s16-vectors.ts'
import { plainCases, plainReply, plainStore, sessions } from '../testing/scp03-vectors.ts'
import { staticKeys } from './key-source.ts'
import { openSecureChannel } from './open-channel.ts'
import { scp03Challenge, scp03SessionKeys } from './scp03-keys.ts'
import { isSecurityLevel, type SecurityLevel } from './security-level.ts'

const levelOf = (level: number): SecurityLevel => {
  if (!isSecurityLevel(level)) throw new Error(`No level ${level}`)
  return level
}
const keysOf = (keys: { enc: string; mac: string; dek: string }) =>
  staticKeys({ enc: readHex(keys.enc), mac: readHex(keys.mac), dek: readHex(keys.dek) })

test.each(sessions)('repeats the recorded session with $name', async (session) => {
  const { initialize, greeting, authenticate, store, reply, cases, level } = session
  // pySim records no replies to these, and a reply with R-MAC would need one.
  const card = recordedCard(
    [initialize, `${greeting}9000`],
    [authenticate, '9000'],
    [store, `${reply}9000`],
    ...cases.map((each) => [each, '6A88'] as const),
  )
  const channel = await openSecureChannel(card.transport, {
    keys: keysOf(session.keys),
    level: levelOf(level),
    keyVersion: Number.parseInt(initialize.slice(4, 6), 16),
    hostChallenge: readHex(initialize.slice(10, 26)),
  })
  expect(channel).toMatchObject({ protocol: 'SCP03', implementation: 0x70, level })
  const { data, statusWord } = await channel.send(parseCommand(readHex(plainStore)))
  expect([toHex(data), statusWord]).toEqual([plainReply, 0x9000])
  for (const plain of plainCases)
    expect(await channel.send(parseCommand(readHex(plain)))).toMatchObject({ statusWord: 0x6a88 })
  expect(card.left()).toBe(0)
})

test.each(sessionsS16)('repeats the recorded session in S16 mode with $name', async (session) => {
  const { initialize, greeting, authenticate, exchanges, keys } = session
  const card = recordedCard(
    [initialize, `${greeting}9000`],
    [authenticate, '9000'],
    ...exchanges.map(([command, reply]) => [command, `${reply}9000`] as const),
  )
  const channel = await openSecureChannel(card.transport, {
    keys: keysOf(keys),
    level: 0x33,
    keyVersion: 0x30,
    hostChallenge: readHex(initialize.slice(10, 42)),
  })
  expect(channel).toMatchObject({ implementation: 0x71, longestData: 223 })
  for (const [plain, reply] of plainS16) {
    const { data, statusWord } = await channel.send(parseCommand(readHex(plain)))
    expect([toHex(data), statusWord]).toEqual([reply, 0x9000])
  }
  expect(card.left()).toBe(0)
})

// Computed with node:crypto from the first of the sessions above.
test('derives the session keys and the challenge of the recorded session', () => {
  const [session] = sessions
  const keys = session?.keys ?? { enc: '', mac: '', dek: '' }
  const made = scp03SessionKeys(
    { enc: readHex(keys.enc), mac: readHex(keys.mac), dek: readHex(keys.dek) },
    readHex('B13E5F938FC108C4'),
    readHex('3EB51047495B249F'),
  )
  expect(toHex(made.enc)).toBe('C4E87149F2114DA66BB015A567D751F9')
  expect(toHex(made.mac)).toBe('8B2635556E987A6B84F43D9FFC197D3F')
  expect(toHex(made.rmac)).toBe('3F6B2CE3B3ABD9A99BD4453AFA54CC7B')
  const aid = readHex('A0000005591010FFFFFFFF8900000100')
  expect(toHex(scp03Challenge(readHex(keys.enc), readHex('000002'), aid, 8))).toBe(
    '3EB51047495B249F',
  )
})

// kaoh/globalplatform 8dd2f1b, scp03Test.c.
const kaohKeys = {
  enc: 'F995D0A069335C7DF42E590317FFEA6D',
  mac: '58563362EC5A4541ABCD32B34B1EAE7D',
  dek: '0A02A6D687406DCFA09DC70B3EDB7E38',
}
const kaoh192 = 'DE2A3629CBC24E8D8869E82C8B4C0D874D88166B6F8A1C12'
test.each([
  {
    name: 'delete_application',
    keys: kaohKeys,
    opening: [
      '8050000008B2BDE1A2DC66BD5600',
      '00000000000000000000300370C40932A6FEFEAEB2E127185170F45FCA0000159000',
      '848203001059D54D932423D29F6313C970875F8C2F',
    ],
    commands: [
      [
        '80E400800A4F08A00100015141434C',
        '84E400801829F06AEC3180B3EFE91FF662310B945DE0D5FE66AD67A5B6',
      ],
    ],
  },
  {
    name: 'mutual_auth',
    keys: kaohKeys,
    opening: [
      '80500000089BD6BF878FB8E99100',
      '000000000000000000003003703C80C2CC87EB3A35E4EDBA35E629C33600001E9000',
      '848203001023EBFEDC579D22CDCDB6A25A5FF7891F',
    ],
    commands: [],
  },
  {
    name: 'get_status',
    keys: kaohKeys,
    opening: [
      '8050000008A6D40AEC55FE798600',
      '00000000000000000000300370B6E362D0F90F8101C34B7B21A74553200000259000',
      '84820300103D958B36BB38AE5896A559345F81471A',
    ],
    commands: [
      ['80F24002024F0000', '84F2400218D18C9A7BB2B1B1C7ED1B24E1B1307CB9D71A66ABC55CBC3A00'],
    ],
  },
  {
    name: 'get_status_enc_mac',
    keys: kaohKeys,
    opening: [
      '8050000008DA2390D378D94B0A00',
      '00000000000000000000300370A7EFE2BFDB3A27A6EAE3FF0EA0D175240000859000',
      '8482030010953EEC5B4A81BF393ADC2ADFD638827A',
    ],
    commands: [
      ['80F22002024F0000', '84F2200218705C4D16C7BAC5496AEE0ED9963222455472F3CFAC97BCCA00'],
      ['80F24002024F0000', '84F240021834AF0FEDDAE7C07308600587E1B1E6EC87811520D9A6AAAD00'],
      ['80F28002024F0000', '84F28002188D6CFE9EB359EACB9594D8EC161E45C10ED0138E34A10BF300'],
      ['80F21002024F0000', '84F21002183D98B6DE9CBF3905EAE4FAF5E141C58DAB7013D1076745C700'],
    ],
  },
  {
    name: 'get_status_aes_192, option 10',
    keys: { enc: kaoh192, mac: kaoh192, dek: kaoh192 },
    opening: [
      '80500000084157115CAD7D2FE700',
      '00008301A8186727A822020310726B1E22EED4F4BBAB21001BFD4B6F020000129000',
      '84820300109B126D1B1557297F3C06766CA9ACBD27',
    ],
    commands: [
      ['80F22002024F0000', '84F2200218110C222888859059700E5D42AD65F41299B0BFFC03BF79A800'],
    ],
  },
])('repeats the session $name', async ({ keys, opening, commands }) => {
  const [initialize = '', greeting = '', authenticate = ''] = opening
  const card = recordedCard(
    [initialize, greeting],
    [authenticate, '9000'],
    ...commands.map(([, wrapped = '']) => [wrapped, '9000'] as const),
  )
  const channel = await openSecureChannel(card.transport, {
    keys: keysOf(keys),
    level: 0x03,
    hostChallenge: readHex(initialize.slice(10, 26)),
  })
  for (const [plain = ''] of commands) await channel.send(parseCommand(readHex(plain)))
  expect(card.left()).toBe(0)
})

// kaoh/globalplatform 8dd2f1b, scp03Test.c: a card with the keys 40…4F, options 70, level 33.
test('opens level 33 with the default keys', async () => {
  const card = recordedCard(
    [
      '80500000082C8130E574247B1B00',
      '00010203040506070809000370A5874C57119B976BF94879E36F29E0390000019000',
    ],
    ['8482330010A75F1CD48F3B93DFA57E690937921F92', '9000'],
  )
  const key = '404142434445464748494A4B4C4D4E4F'
  const channel = await openSecureChannel(card.transport, {
    keys: keysOf({ enc: key, mac: key, dek: key }),
    level: 0x33,
    hostChallenge: readHex('2C8130E574247B1B'),
  })
  expect(toHex(channel.diversificationData)).toBe('00010203040506070809')
})
