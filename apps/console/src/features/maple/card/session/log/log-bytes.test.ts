import { expect, test } from 'vitest'
import { rowBytes, spaced } from './log-bytes.ts'
import { anExchange } from './testing.ts'

test('bytes have spaces between them', () => {
  expect(spaced('80F24002')).toBe('80 F2 40 02')
  expect(spaced('')).toBe('')
})

const wrapped = { command: '84F2400208AABBCCDD', reply: null }

test('a row shows the plain bytes, or those that went over the transport', () => {
  const exchange = anExchange({ command: '80F24002', reply: '9000', wrapped })
  expect(rowBytes(exchange, false)).toEqual({
    sent: [{ hex: '80 F2 40 02' }],
    received: [{ hex: '90 00' }],
  })
  expect(rowBytes(exchange, true)).toEqual({
    sent: [{ hex: '84 F2 40 02 08 AA BB CC DD' }],
    received: [{ hex: '90 00' }],
  })
  expect(rowBytes({ ...exchange, wrapped: null }, true)).toEqual(rowBytes(exchange, false))
})

test('bytes that were never stored are counted, not shown', () => {
  const exchange = anExchange({
    command: '80D80081030000000000',
    wrapped,
    redacted: { reason: 'keys', command: [5, 8], wrapped: [5, 9] },
  })
  expect(rowBytes(exchange, false).sent).toEqual([
    { hex: '80 D8 00 81 03' },
    { hidden: 3 },
    { hex: '00 00' },
  ])
  expect(rowBytes(exchange, true).sent).toEqual([{ hex: '84 F2 40 02 08' }, { hidden: 4 }])
})

test('a later piece of a long command has no bytes of its own', () => {
  expect(rowBytes(anExchange({ command: null, reply: null }), false)).toEqual({
    sent: undefined,
    received: undefined,
  })
})
