import { readHex } from '@grove/secure-element/bytes'
import { explainCommand } from '@grove/secure-element/explain-apdu'
import { expect, test } from 'vitest'
import { partAt } from './part-at.ts'

const command = explainCommand(readHex('80F28002024F0000'), new Date(0))

test('a byte belongs to the innermost part that contains it', () => {
  expect(partAt(command, 1, undefined)).toMatchObject({ name: 'instruction', from: 1, to: 2 })
  expect(partAt(command, 5, undefined)).toMatchObject({ from: 5, to: 6 })
  expect(partAt(command, 5, undefined)?.parts).toBeUndefined()
})

test('bytes that were not stored belong to the part itself', () => {
  const whole = partAt(command, 5, { from: 5, to: 7 })
  expect(whole).toMatchObject({ from: 5, to: 7 })
})

test('a byte after the end belongs to nothing', () => {
  expect(partAt(command, 99, undefined)).toBeUndefined()
})
