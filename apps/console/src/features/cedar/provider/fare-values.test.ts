import { expect, test } from 'vitest'
import { amountOf, fareState, fareValues, isAmount, newFare } from './fare-values.ts'

test('an amount is typed as people write it and sent in minor units of its currency', () => {
  expect([amountOf('49', 'EUR'), amountOf('49.9', 'EUR'), amountOf('0,05', 'EUR')]).toEqual([
    4900, 4990, 5,
  ])
  expect([amountOf('1500', 'JPY'), amountOf('1.5', 'KWD')]).toEqual([1500, 1500])
  expect(isAmount('19.99', 'EUR')).toBe(true)
  for (const [text, currency] of [
    ['', 'EUR'],
    ['-1', 'EUR'],
    ['1.234', 'EUR'],
    ['1.5', 'JPY'],
    ['1e3', 'EUR'],
    ['99999999999', 'EUR'],
  ] as const)
    expect([text, isAmount(text, currency)]).toEqual([text, false])
})

test('a saved amount is shown as it was written', () => {
  const fare = {
    id: 'a',
    names: [],
    amountMinor: 4905,
    currency: 'EUR',
    period: 'month' as const,
    validFrom: null,
    validTo: '2026-12-31',
  }
  expect(fareValues(fare)).toMatchObject({ amount: '49.05', validFrom: '', validTo: '2026-12-31' })
  expect(fareValues({ ...fare, currency: 'JPY' }).amount).toBe('4905')
})

test('a fare is valid from its first day to its last, both inclusive', () => {
  const on = (day: number, validFrom: string, validTo: string) =>
    fareState({ ...newFare(), validFrom, validTo }, new Date(2026, 4, day, 23, 30))
  expect(on(1, '', '')).toBe('valid')
  expect(on(1, '2026-05-02', '')).toBe('future')
  expect(on(2, '2026-05-02', '2026-05-02')).toBe('valid')
  expect(on(3, '', '2026-05-02')).toBe('ended')
})
