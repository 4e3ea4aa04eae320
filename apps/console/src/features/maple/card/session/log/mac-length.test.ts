import { expect, test } from 'vitest'
import { macLengthAt } from './mac-length.ts'

const exchange = (seq: number, command: string, reply: string | null) => ({ seq, command, reply })
const greeting = (option: string, length: number) =>
  `${'00'.repeat(10)}3003${option}${'00'.repeat(2 * length + 3)}9000`

test('the MAC length is that of the last channel before an exchange', () => {
  const log = [
    exchange(1, '00A4040000', '9000'),
    exchange(2, '8050000008010203040506070800', '6700'),
    exchange(3, '80500000100102030405060708010203040506070800', greeting('71', 16)),
    exchange(4, '8482330020', '9000'),
    exchange(5, '80500000080102030405060708', greeting('70', 8)),
    exchange(6, '8482330010', '9000'),
    exchange(7, '8050000008', null),
  ]
  expect([1, 3, 4, 5, 6, 8].map((seq) => macLengthAt(log, seq))).toEqual([8, 8, 16, 16, 8, 8])
  expect(macLengthAt([], 1)).toBe(8)
})
