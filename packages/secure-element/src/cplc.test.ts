import { describe, expect, test } from 'vitest'
import {
  checkCplc,
  chipId,
  chipNumber,
  cplcFields,
  cplcPattern,
  fabricatorName,
  icSerial,
  normalizeCplc,
  productionDate,
  typeName,
} from './cplc.ts'

// Read from a real card: github.com/fidesmo/fdsm, FidesmoCardTest.java.
const answer =
  '9F7F2A47906B644700E4D80300816500485399064800000000000000005758594E4E4E4E4E0000000000000000'
const cplc = answer.slice(6)
const now = new Date('2026-11-21T12:00:00Z')

test('splits the CPLC of a real card into its fields', () => {
  const fields = Object.fromEntries(cplcFields(cplc, now).map(({ name, hex }) => [name, hex]))
  expect(fields).toEqual({
    icFabricator: '4790',
    icType: '6B64',
    osId: '4700',
    osReleaseDate: 'E4D8',
    osReleaseLevel: '0300',
    icFabricationDate: '8165',
    icSerial: '00485399',
    icBatch: '0648',
    moduleFabricator: '0000',
    modulePackagingDate: '0000',
    iccManufacturer: '0000',
    embeddingDate: '0000',
    prePersonalizer: '5758',
    prePersonalizationDate: '594E',
    prePersonalizationEquipment: '4E4E4E4E',
    personalizer: '0000',
    personalizationDate: '0000',
    personalizationEquipment: '00000000',
  })
  expect(Object.values(fields).join('')).toBe(cplc)
  expect(fabricatorName(cplc)).toBe('NXP')
  expect(typeName(cplc)).toBeUndefined()
  expect(icSerial(cplc)).toBe('00485399')
  expect(chipId(cplc)).toBe('47906B648165004853990648')
  // Chips with the same serial number but different batches.
  expect(chipNumber(cplc)).toBe('00485399-0648')
})

test('tells dates from values that are not dates', () => {
  const dates = cplcFields(cplc, now).flatMap(({ name, date }) => (date ? [[name, date]] : []))
  expect(Object.fromEntries(dates)).toEqual({
    osReleaseDate: { kind: 'notADate' },
    icFabricationDate: { kind: 'date', candidates: ['2018-06-14', '2008-06-13'] },
    modulePackagingDate: { kind: 'none' },
    embeddingDate: { kind: 'none' },
    prePersonalizationDate: { kind: 'notADate' },
    personalizationDate: { kind: 'none' },
  })
})

describe('a production date', () => {
  // martinpaljak/GlobalPlatformPro, TestParseTags.testCPLCDateParse and testCPLCDateParseInvalid.
  test.each([
    ['1210', '2021-07-30', '2021-07-29'],
    ['1210', '2021-07-29', '2021-07-29'],
    ['1210', '2021-07-28', '2011-07-29'],
    ['1410', '2021-07-28', undefined],
  ])('%s on %s is first of all %s', (hex, today, latest) => {
    const date = productionDate(hex, new Date(`${today}T00:00:00Z`))
    expect(date.kind === 'date' ? date.candidates[0] : undefined).toBe(latest)
  })

  test.each([
    ['6325', ['2026-11-21', '2016-11-20']],
    // Tomorrow, so ten or twenty years ago.
    ['6326', ['2016-11-21', '2006-11-22']],
    // Day 366 exists only in leap years.
    ['4366', ['2024-12-31', '2004-12-31']],
    ['0001', ['2020-01-01', '2010-01-01']],
  ])('%s can mean %j', (hex, candidates) => {
    expect(productionDate(hex, now)).toEqual({ kind: 'date', candidates })
  })

  test.each(['2A35', '8000', '8367', '5366', '9999'])('%s is not a date', (hex) => {
    expect(productionDate(hex, now)).toEqual({ kind: 'notADate' })
  })

  test('can be unset', () => {
    expect(productionDate('0000', now)).toEqual({ kind: 'none' })
    expect(productionDate('FFFF', now)).toEqual({ kind: 'none' })
  })
})

test('normalises text with or without tag, status word, spaces and colons, in either case', () => {
  for (const text of [
    cplc,
    answer,
    answer.toLowerCase(),
    `${answer}9000`,
    `${cplc} 90 00`,
    cplc.match(/../g)!.join(':'),
    ` ${cplc}\n`,
  ])
    expect(normalizeCplc(text)).toBe(cplc)
})

test('checks text while it is typed', () => {
  expect(checkCplc(answer)).toEqual({ kind: 'complete', cplc })
  expect(checkCplc('4790')).toEqual({ kind: 'wrongLength', digits: 4 })
  expect(checkCplc('9F7F2A4790')).toEqual({ kind: 'wrongLength', digits: 4 })
  expect(checkCplc(`${cplc}00`)).toEqual({ kind: 'wrongLength', digits: 86 })
  expect(checkCplc('4790 é')).toEqual({ kind: 'notHex', found: 'É' })
  expect(checkCplc('47O0')).toEqual({ kind: 'notHex', found: 'O' })
})

test('the pattern accepts a CPLC with or without tag and status word, in either case, and nothing else', () => {
  const pattern = new RegExp(cplcPattern)
  for (const text of [cplc, answer, answer.toLowerCase(), `${answer}9000`])
    expect(text).toMatch(pattern)
  for (const text of [
    '',
    cplc.slice(2),
    `${cplc}00`,
    `9F7F29${cplc}`,
    `${answer}6A88`,
    cplc.replace('4', 'G'),
  ])
    expect(text).not.toMatch(pattern)
})
