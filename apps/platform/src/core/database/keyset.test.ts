import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BadCursorError, decodeCursor, encodeCursor, type KeysetSort } from './keyset.ts'

const byName: KeysetSort = { name: 'name', value: 'text', tiebreak: 'uuid' }
const byTime: KeysetSort = { name: 'createdAt', value: 'timestamp', tiebreak: 'integer' }
const byVersion: KeysetSort = { name: 'version', value: 'version', tiebreak: 'uuid' }
const id = '0b9c7a1e-2f53-4c3e-9a63-0d1f5a7e8b11'

const storable = fc
  .string({ unit: 'binary', maxLength: 200 })
  .filter((text) => !text.includes('\0') && text.isWellFormed())
const direction = fc.constantFrom('next' as const, 'previous' as const)

describe('a keyset cursor', () => {
  test('round-trips, whatever text it contains', () => {
    fc.assert(
      fc.property(storable, fc.uuid(), direction, (value, tiebreak, way) => {
        const cursor = { value, tiebreak, direction: way }
        const text = encodeCursor(byName, cursor)
        expect(text).toMatch(/^[\w-]+$/)
        expect(decodeCursor(byName, text)).toEqual(cursor)
      }),
    )
  })

  test('of every timestamp round-trips with its six digits', () => {
    const moment = fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(moment, fc.integer({ min: 0, max: 999 }), (date, micros) => {
        const value = date.toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`)
        const text = encodeCursor(byTime, { value, tiebreak: '7', direction: 'next' })
        expect(decodeCursor(byTime, text).value).toBe(value)
      }),
    )
  })

  test('of another sort column is refused', () => {
    const cursor = encodeCursor(byName, { value: 'a', tiebreak: id, direction: 'next' })
    expect(() => decodeCursor({ ...byName, name: 'state' }, cursor)).toThrow(BadCursorError)
  })

  test('is refused or still well-formed if anything in it changes, and never causes another error', () => {
    const cursor = encodeCursor(byName, { value: 'Bergen', tiebreak: id, direction: 'next' })
    const changed = fc.tuple(fc.nat(cursor.length - 1), fc.string({ maxLength: 3 }))
    fc.assert(
      fc.property(changed, ([at, put]) => {
        const text = cursor.slice(0, at) + put + cursor.slice(at + 1)
        try {
          const { value, tiebreak } = decodeCursor(byName, text)
          expect(value).not.toContain('\0')
          expect(tiebreak).toMatch(/^[\da-f-]{36}$/)
        } catch (error) {
          expect(error).toBeInstanceOf(BadCursorError)
        }
      }),
    )
  })

  test('made of arbitrary text or arbitrary JSON is refused', () => {
    const json = fc
      .jsonValue()
      .map((value) => Buffer.from(JSON.stringify(value)).toString('base64url'))
    fc.assert(
      fc.property(fc.oneof(fc.string(), json), (text) => {
        expect(() => decodeCursor(byName, text)).toThrow(BadCursorError)
      }),
    )
  })

  test.each([
    ['text with a NUL', byName, [1, 'name', 'a\0b', id, 'next']],
    ['half a surrogate pair', byName, [1, 'name', '\ud800', id, 'next']],
    ['a tiebreak that is no uuid', byName, [1, 'name', 'a', "' or 1=1", 'next']],
    ['a moment that is none', byTime, [1, 'createdAt', 'yesterday', '1', 'next']],
    ['30 February', byTime, [1, 'createdAt', '2026-02-30T00:00:00.000000Z', '1', 'next']],
    ['the year 0', byTime, [1, 'createdAt', '0000-01-01T00:00:00.000000Z', '1', 'next']],
    [
      'a number too long for an integer',
      byTime,
      [1, 'createdAt', '2026-02-03T00:00:00.000000Z', '9'.repeat(20), 'next'],
    ],
    ['a version that is none', byVersion, [1, 'version', 'x.y.z', id, 'next']],
    ['an unknown direction', byName, [1, 'name', 'a', id, 'sideways']],
    ['another version', byName, [2, 'name', 'a', id, 'next']],
    ['a field too many', byName, [1, 'name', 'a', id, 'next', 0]],
  ])('with %s is refused', (_what, sort, fields) => {
    const text = Buffer.from(JSON.stringify(fields)).toString('base64url')
    expect(() => decodeCursor(sort, text)).toThrow(BadCursorError)
  })
})
