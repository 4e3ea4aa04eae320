import { expect, test } from 'vitest'
import { softwareCard } from '../card/software-card.ts'
import { recordedCard } from '../testing/recorded-card.ts'
import { readCplc } from './read-cplc.ts'
import { exchange, type SeTransport } from './transport.ts'

const of = (card: SeTransport) => readCplc((command) => exchange(card, command))
const cplc = '4790D321' + '00'.repeat(38)

test('with and without its tag, in pieces, and with the length corrected', async () => {
  for (const reply of [`9F7F2A${cplc}9000`, `${cplc}9000`])
    expect(await of(recordedCard(['80CA9F7F00', reply]).transport)).toBe(cplc)
  const one = recordedCard(['80CA9F7F00', '6C2D'], ['80CA9F7F2D', `9F7F2A${cplc}9000`])
  expect(await of(one.transport)).toBe(cplc)
  const two = recordedCard(['80CA9F7F00', '612D'], ['00C000002D', `9F7F2A${cplc}9000`])
  expect(await of(two.transport)).toBe(cplc)
})

test('a card that knows it in the interindustry class alone', async () => {
  const card = recordedCard(['80CA9F7F00', '6E00'], ['00CA9F7F00', `9F7F2A${cplc}9000`])
  expect(await of(card.transport)).toBe(cplc)
})

test('a card that has none, or answers nonsense', async () => {
  expect(await of(recordedCard(['80CA9F7F00', '6A88'], ['00CA9F7F00', '6A88']).transport)).toBe(
    null,
  )
  expect(await of(recordedCard(['80CA9F7F00', '9F7F029000'], ['00CA9F7F00', '01']).transport)).toBe(
    null,
  )
})

test('a card that is gone is not taken for one without', async () => {
  const gone: SeTransport = { transmit: () => Promise.reject(new Error('gone')) }
  await expect(of(gone)).rejects.toThrow('gone')
  const card = softwareCard({ seed: 'one' })
  expect(await of(card)).toBe(card.snapshot().cplc)
})
