import { expect, test } from 'vitest'
import { softwareCard } from '../card/software-card.ts'
import { derivedFrom } from '../derived-id.ts'
import { hashIdentity } from '../hash-identity.ts'
import { recordedCard } from '../testing/recorded-card.ts'
import { readIdentity } from './read-identity.ts'
import { exchange, type SeTransport } from './transport.ts'

const of = (card: SeTransport, options = {}) =>
  readIdentity((command) => exchange(card, command), options)
const cplc = '4790D321' + '00'.repeat(38)

/** A card that knows some commands by their beginning, and answers all others with 6A88. */
function cardWith(replies: Record<string, string>) {
  const sent: string[] = []
  const transport: SeTransport = {
    async transmit(bytes) {
      const command = Buffer.from(bytes).toString('hex').toUpperCase()
      sent.push(command)
      const known = Object.keys(replies).find((start) => command.startsWith(start))
      return new Uint8Array(Buffer.from(known ? (replies[known] ?? '') : '6A88', 'hex'))
    },
  }
  return { transport, sent }
}

test('is the CPLC, with and without its tag, in pieces, and with the length corrected', async () => {
  for (const reply of [`9F7F2A${cplc}9000`, `${cplc}9000`])
    expect(await of(recordedCard(['80CA9F7F00', reply]).transport)).toBe(cplc)
  const one = recordedCard(['80CA9F7F00', '6C2D'], ['80CA9F7F2D', `9F7F2A${cplc}9000`])
  expect(await of(one.transport)).toBe(cplc)
  const two = recordedCard(['80CA9F7F00', '612D'], ['00C000002D', `9F7F2A${cplc}9000`])
  expect(await of(two.transport)).toBe(cplc)
})

test('is the CPLC of a card that knows it in the interindustry class alone', async () => {
  const card = recordedCard(['80CA9F7F00', '6E00'], ['00CA9F7F00', `9F7F2A${cplc}9000`])
  expect(await of(card.transport)).toBe(cplc)
})

const cin = { '80CA004200': '42039999019000', '80CA004500': '4504112233449000' }

test('is derived from the IIN and the CIN of a card without a CPLC', async () => {
  const expected = hashIdentity('cardNumbers', '999901', '11223344')
  expect(await of(cardWith(cin).transport)).toBe(expected)
  expect(await of(cardWith(cin).transport, { maySelect: false })).toBe(expected)
  expect(expected).toHaveLength(84)
  expect(derivedFrom(expected)).toBe('cardNumbers')
  expect(derivedFrom(cplc)).toBeUndefined()
})

test.each(['00', 'FF'])('is not a CPLC that was never written: %s throughout', async (byte) => {
  const blank = { '80CA9F7F00': `9F7F2A${byte.repeat(42)}9000`, ...cin }
  expect(derivedFrom((await of(cardWith(blank).transport)) ?? '')).toBe('cardNumbers')
})

test('is derived from one number only if no better one is there', async () => {
  const { '80CA004200': _iin, ...withoutIin } = cin
  const diversified = { ...withoutIin, '80CA00CF00': 'CF0A0102030405060708090A9000' }
  expect(await of(cardWith(diversified).transport)).toBe(
    hashIdentity('diversificationData', '0102030405060708090A'),
  )
})

test('is derived from the EID, and the issuer domain is selected again', async () => {
  const eid = '89049032000000000000000000000123'
  const card = cardWith({
    '00A4040010A0000005591010FFFFFFFF8900000200': '9000',
    '80CA005A00': `5A10${eid}9000`,
  })
  expect(await of(card.transport)).toBe(hashIdentity('eid', eid))
  expect(card.sent.at(-1)).toBe('00A4040000')
  expect(await of(card.transport, { maySelect: false })).toBeNull()
})

test('is derived from the ICCID of a SIM', async () => {
  const iccid = '98101430121181157002'
  const card = cardWith({
    '00A40004023F00': '9000',
    '00A40004022FE2': '9000',
    '00B0000000': `${iccid}9000`,
  })
  expect(await of(card.transport)).toBe(hashIdentity('iccid', iccid))
  expect(card.sent.at(-1)).toBe('00A4040000')
})

test('is null for a card that has no number, or answers nonsense', async () => {
  expect(await of(cardWith({}).transport)).toBeNull()
  expect(
    await of(cardWith({ '80CA9F7F00': '9F7F029000', '00CA9F7F00': '01' }).transport),
  ).toBeNull()
  expect(await of(cardWith({ '80': '00', '00': '9000' }).transport)).toBeNull()
})

test('of a card that is gone is not null', async () => {
  const gone: SeTransport = { transmit: () => Promise.reject(new Error('gone')) }
  await expect(of(gone)).rejects.toThrow('gone')
  const card = softwareCard({ seed: 'one' })
  expect(await of(card)).toBe(card.snapshot().cplc)
})

test('of a software card without a CPLC is the id that it is kept under', async () => {
  const card = softwareCard({ seed: 'two', hasCplc: false })
  const { cplc: id } = card.snapshot()
  expect(derivedFrom(id)).toBe('cardNumbers')
  expect(await of(card)).toBe(id)
  expect(await of(softwareCard({ seed: 'three', hasCplc: false }))).not.toBe(id)
})
