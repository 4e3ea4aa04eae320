import { expect, test } from 'vitest'
import { isNameOrBlank, isReadableName, normaliseName, plainName } from './name.rules.ts'

test('names of people, apps and devices in many scripts are readable', () => {
  for (const name of [
    'Grove',
    'Тройка — пополнение',
    'O’Neil & Söhne (2)',
    'می‌خواهم',
    'क्‍ष',
    '東京メトロ',
    '👩‍🚀 crew',
    '❤️‍🔥',
    '42',
    '!',
  ])
    expect(isReadableName(name), name).toBe(true)
})

test('a name with a mark that changes its direction is not readable', () => {
  for (const mark of ['\u202e', '\u202a', '\u2066', '\u2069', '\u200e', '\u200f', '\u061c'])
    expect(isReadableName(`${mark}gnp.exe`), mark).toBe(false)
})

test('a name with zero-width characters is not readable', () => {
  for (const mark of ['\u200b', '\u2060', '\ufeff', '\u00ad', '\u200d', '\u200c', '\u3164'])
    expect(isReadableName(`pay${mark}ment`), JSON.stringify(mark)).toBe(false)
})

test('a name has one line and visible characters', () => {
  for (const name of ['', ' ', '\u00a0', '\u200b', '\u2800', '\ufe0f', '\u0301', 'a\nb', 'a\tb'])
    expect(isReadableName(name), JSON.stringify(name)).toBe(false)
})

test('a name is normalised and trimmed', () => {
  expect(normaliseName('  Cafe\u0301 ')).toBe('Café')
})

test('a name never becomes longer', () => {
  expect(normaliseName('\u{1d160}')).toBe('\u{1d160}')
})

test('a name is put on one line, and a zero-width space is not a space', () => {
  expect(normaliseName(' Tide\r\n\u00a0clock\t ')).toBe('Tide clock')
  expect(normaliseName('pay\u200b\ufeffment')).toBe('pay\u200b\ufeffment')
})

test('a schema accepts a readable name, on several lines or none', () => {
  for (const name of ['Grove', ' Tide\n clock ', '', ' \n ']) expect(isNameOrBlank(name)).toBe(true)
  for (const name of ['\u200b', 'pay\u200bment', '\u202egnp.exe', 'bell\u0007'])
    expect(isNameOrBlank(name), JSON.stringify(name)).toBe(false)
})

test('the plain name is what a keyboard can type', () => {
  expect(plainName('\u202egnp.exe')).toBe('gnp.exe')
  expect(plainName('pay\u200bment ')).toBe('payment')
  expect(plainName('👩‍🚀 crew')).toBe('👩‍🚀 crew')
})
