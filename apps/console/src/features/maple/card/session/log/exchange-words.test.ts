import { expect, test } from 'vitest'
import { exchangeTest } from './exchange-filter.ts'
import { exchangeWords, statusOf } from './exchange-words.ts'
import { anExchange } from './testing.ts'

const install = anExchange({
  seq: 2,
  command: '80E60C001E050102030405080102030405060708080102030405060708010002C9000000',
  reply: '6A88',
  statusWord: '6A88',
  isFailed: true,
})

test('a command is named with the meaning of its parameters and the AIDs it concerns', () => {
  expect(exchangeWords(anExchange())).toMatchObject({
    name: 'SELECT',
    aids: ['A000000151000000'],
  })
  expect(exchangeWords(install)).toMatchObject({
    name: 'INSTALL [install, make selectable]',
    aids: ['0102030405', '0102030405060708'],
  })
  expect(exchangeWords(anExchange({ command: '80F24002024F0000' })).meanings).toEqual([
    { kind: 'term', term: 'subset.applications' },
    { kind: 'term', term: 'list.first' },
  ])
})

test('a command on a logical channel says which', () => {
  const numberIn = (command: string) => exchangeWords(anExchange({ command })).logicalChannel
  expect([numberIn('81F24002024F0000'), numberIn('03A4040000'), numberIn('00A4040000')]).toEqual([
    1, 3, 0,
  ])
})

test('an AID inside an object is named without its tag, and an empty one not at all', () => {
  const aids = (command: string) => exchangeWords(anExchange({ command })).aids
  expect(aids('80E40000074F05010203040500')).toEqual(['0102030405'])
  expect(aids('80F24002024F0000')).toEqual([])
})

test('bytes that are not a command, or a later part of one, have no description', () => {
  for (const command of [null, '00A4', '0112'])
    expect(exchangeWords(anExchange({ command })).name).toBeUndefined()
})

test('redacted data is not read as AIDs', () => {
  const exchange = anExchange({
    command: '00A4040005000000000000',
    redacted: { reason: 'secret', command: [5, 10], wrapped: null },
  })
  expect(exchangeWords(exchange).aids).toEqual([])
})

test('an exchange without a reply has no status', () => {
  expect(statusOf(install)?.name).toBe('referenceNotFound')
  expect(statusOf(anExchange({ reply: null, statusWord: null }))).toBeUndefined()
})

const all = [anExchange(), install, anExchange({ seq: 3, outcome: 'unknown', isFailed: false })]
const found = (text: string, isFailedOnly = false) => {
  const test = exchangeTest({ text, isFailedOnly })
  return all.filter((each) => test?.(each) ?? true).map(({ seq }) => seq)
}

test('a search finds names, status words and whole bytes', () => {
  expect(found('install')).toEqual([2])
  expect(found('Make Sel')).toEqual([2])
  expect(found('6a88')).toEqual([2])
  expect(found('84 08 a0')).toEqual([1, 3])
  // The second half of one byte and the first half of the next.
  expect(found('A404')).toEqual([1, 3])
  expect(found('4040')).toEqual([])
})

test('failures include unknown outcomes', () => {
  expect(found('', true)).toEqual([2, 3])
  expect(found('00A4', true)).toEqual([3])
  expect(exchangeTest({ text: '  ', isFailedOnly: false })).toBeUndefined()
})
