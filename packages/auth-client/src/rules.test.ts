import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isBearerToken, isEmail, isLinkId, isPassword, isUuid, passwordRules } from './rules.ts'

describe('isEmail', () => {
  test.each([
    'a@b.co',
    'first.last+tag@mail.example.com',
    "o'brien@example.ie",
    'user@xn--e1afmkfd.xn--p1ai',
    'developer@grove.test',
  ])('accepts %s', (value) => expect(isEmail(value)).toBe(true))

  test.each([
    '',
    'a',
    'a@b',
    'a@b.c',
    '@b.co',
    'a b@c.co',
    'a@b..co',
    'a@-b.co',
    'a@b.co ',
    'a@b.co\n',
    'a@@b.co',
    `${'a'.repeat(250)}@b.co`,
  ])('refuses %j', (value) => expect(isEmail(value)).toBe(false))

  test('responds at once, whatever the text', () => {
    const start = performance.now()
    isEmail(`a@${'a.'.repeat(50_000)}!`)
    isEmail(`a@${'a-'.repeat(120)}`)
    expect(performance.now() - start).toBeLessThan(100)
  })
})

describe('isPassword', () => {
  test.each(['Grove2026!', 'aA1@aaaa', 'aA1&'.repeat(5)])('accepts %s', (value) =>
    expect(isPassword(value)).toBe(true),
  )

  test.each([
    ['too short', 'aA1@aaa', 'length'],
    ['too long', `${'aA1&'.repeat(5)}a`, 'length'],
    ['no lowercase', 'GROVE2026!', 'lowercase'],
    ['no uppercase', 'grove2026!', 'uppercase'],
    ['no digit', 'GroveGrove!', 'digit'],
    ['no special', 'Grove2026', 'special'],
    ['a space', 'Grove 2026!', 'allowed'],
    ['another special', 'Grove2026!#', 'allowed'],
    ['Cyrillic', 'Grove2026!я', 'allowed'],
    ['a line end', 'Grove2026!\n', 'allowed'],
  ])('%s: breaks exactly that rule', (_, value, rule) => {
    const broken = Object.entries(passwordRules(value)).filter(([, met]) => !met)
    expect(broken).toEqual([[rule, false]])
    expect(isPassword(value)).toBe(false)
  })

  test('agrees with one expression of the whole rule', () => {
    const whole = /^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])(?=.*[@$!%*?&])[A-Za-z0-9@$!%*?&]{8,20}$/
    const character = fc.constantFrom(...Array.from('abzAZ059@$!%*?& #я'))
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 24 }), (value) => {
        expect(isPassword(value)).toBe(whole.test(value))
      }),
      { numRuns: 2000 },
    )
  })
})

test('isLinkId accepts exactly seven characters', () => {
  expect(['aB3dE6g', '1234567', 'abc-def'].every(isLinkId)).toBe(true)
  expect(['', 'aB3dE6', 'aB3dE6gh', '../../ab'].some(isLinkId)).toBe(false)
})

test('isUuid accepts the 8-4-4-4-12 hexadecimal form', () => {
  const uuid = '123e4567-E89B-12d3-a456-426614174000'
  expect(isUuid(uuid)).toBe(true)
  const bad = ['', uuid.replaceAll('-', ''), `${uuid}0`, uuid.replace('4', 'g'), `{${uuid}}`]
  expect(bad.some(isUuid)).toBe(false)
})

test('isBearerToken accepts the header value of a bearer token', () => {
  expect(['Bearer a.b-c_d', 'bearer abc==', 'BEARER x'].every(isBearerToken)).toBe(true)
  const bad = ['', 'Bearer', 'Bearer ', 'Basic abc', 'abc', 'Bearer a b', 'Bearer a\n', 'Bearer ж']
  expect(bad.some(isBearerToken)).toBe(false)
})
