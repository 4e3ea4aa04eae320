import { expect, test } from 'vitest'
import { toHex } from '../bytes.ts'
import { recordedCard } from '../testing/recorded-card.ts'
import { command } from './fields.ts'
import { getData, select } from './commands.ts'
import { exchange, type SeTransport } from './transport.ts'

const cplc = getData({ tag: '9F7F' })
const answerTo = async (transport: SeTransport, sent = cplc) => {
  const { data, statusWord } = await exchange(transport, sent)
  return [toHex(data), statusWord.toString(16)]
}

test('the rest of a reply is fetched', async () => {
  const card = recordedCard(
    ['80CA9F7F00', '01026103'],
    ['00C0000003', '0304056102'],
    ['00C0000002', '06079000'],
  )
  expect(await answerTo(card.transport)).toEqual(['01020304050607', '9000'])
  expect(card.left()).toBe(0)
})

test('a length that the card corrects is taken, of GET RESPONSE too', async () => {
  const card = recordedCard(
    ['80CA9F7F00', '6C2D'],
    ['80CA9F7F2D', '6110'],
    ['00C0000010', '6C02'],
    ['00C0000002', 'AABB9000'],
  )
  expect(await answerTo(card.transport)).toEqual(['AABB', '9000'])
})

test('GET RESPONSE goes to the logical channel of its command', async () => {
  const card = recordedCard(['81CA9F7F00', '6102'], ['01C0000002', 'AABB9000'])
  expect(await answerTo(card.transport, { ...cplc, cla: 0x81 })).toEqual(['AABB', '9000'])
})

test('a card that corrects the same length again is believed once', async () => {
  const card = recordedCard(['80CA9F7F00', '6C2D'], ['80CA9F7F2D', '6C2E'])
  expect(await answerTo(card.transport)).toEqual(['', '6c2e'])
})

test('a command that may have changed something is not sent again', async () => {
  const put = command(0xd8, 0, 0x81, Uint8Array.of(1))
  const card = recordedCard(['80D80081010100', '6C0A'])
  expect(await answerTo(card.transport, put)).toEqual(['', '6c0a'])
  const silent = recordedCard(['00A4040000', '6C0A'], ['00A404000A', '9000'])
  expect(await answerTo(silent.transport, select())).toEqual(['', '9000'])
})

test('a reply without an end, and one longer than asked for, are refused', async () => {
  let count = 0
  const endless: SeTransport = {
    transmit: () => {
      count++
      return Promise.resolve(Uint8Array.of(0x61, 0x00))
    },
  }
  await expect(exchange(endless, cplc)).rejects.toMatchObject({ code: 'tooLong' })
  expect(count).toBe(257)
  const long: SeTransport = { transmit: () => Promise.resolve(new Uint8Array(259)) }
  const reply = new Uint8Array(60_002).fill(1, 0, 60_000)
  reply.set([0x90, 0x00], 60_000)
  long.transmit = () => Promise.resolve(reply)
  await expect(exchange(long, cplc)).rejects.toMatchObject({
    code: 'tooLong',
    expected: '256',
    found: '60000',
  })
  const { data } = await exchange(long, { ...cplc, le: 65_536, isExtended: true })
  expect(data).toHaveLength(60_000)
})
