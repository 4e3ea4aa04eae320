import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeRow } from './decode-row.ts'
import { csvCell, plainCell } from '../../base/formula-cell.ts'
import { cellsOf, createRowSplitter, type RawRow } from './split-rows.ts'

const longest = 200

/** The rows of a file that arrives in pieces of a size. */
function split(file: string | Buffer, pieceSize: number, delimiter: string | null = ',') {
  const bytes = Buffer.from(file)
  const splitter = createRowSplitter({ delimiter, maxRowLength: longest })
  const rows: RawRow[] = []
  for (let at = 0; at < bytes.length; at += pieceSize)
    rows.push(...splitter.push(bytes.toString('latin1', at, at + pieceSize)))
  const end = splitter.end()
  return { rows: [...rows, ...end.rows], at: end.at, row: end.row }
}

const textOf = ({ text, at }: RawRow) => (text === null ? null : decodeRow(text, at))

test.each([
  ['LF', 'a,b\nc,d\n', ['a,b', 'c,d']],
  ['CRLF', 'a,b\r\nc,d', ['a,b', 'c,d']],
  ['CR alone', 'a\rb\r\rc', ['a', 'b', '', 'c']],
  ['line ends in quotes', '"a\nb","c\r\nd"\r\ne', ['"a\nb","c\r\nd"', 'e']],
  ['quotes in quotes', '"a"",\nb"\nc', ['"a"",\nb"', 'c']],
  ['a quote inside a cell opens nothing', 'a"b\nc', ['a"b', 'c']],
  ['an open quote takes what follows', '"a\nb', ['"a\nb']],
  ['a row that is too long', `${'x'.repeat(201)}\nok`, [null, 'ok']],
  ['one in quotes over several lines', `"${'x\n'.repeat(150)}"\nok`, [null, 'ok']],
  ['more than ASCII', 'ё,"ж\n"\r\nя', ['ё,"ж\n"', 'я']],
])('rows end correctly, however the file is split: %s', (_, file, expected) => {
  const whole = split(file, 10_000)
  expect(whole.rows.map(textOf)).toEqual(expected)
  for (let size = 1; size < 9; size += 1) expect(split(file, size)).toEqual(whole)
})

test('each row knows its byte and its number, and the end is after the last', () => {
  const file = 'ё\r\n"a\nb"\rc\n'
  const { rows, at, row } = split(file, 1)
  expect(rows.map((each) => [each.row, each.at])).toEqual([
    [1, 0],
    [2, 4],
    [3, 10],
  ])
  expect([at, row]).toEqual([Buffer.byteLength(file), 4])
})

test('lines of JSON end only at LF', () => {
  expect(split('{"a":"x\r"}\r\n{"b":"\\""}', 3, null).rows.map(({ text }) => text)).toEqual([
    '{"a":"x\r"}\r',
    '{"b":"\\""}',
  ])
})

test('a row of 10 MB is one error, and not stored', () => {
  const splitter = createRowSplitter({ delimiter: ',', maxRowLength: longest })
  const rows = splitter.push('a\n')
  const piece = 'x'.repeat(64 * 1024)
  const before = process.memoryUsage().heapUsed
  for (let index = 0; index < 160; index += 1) rows.push(...splitter.push(piece))
  // Less than half of it, whatever garbage remains.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(5_000_000)
  rows.push(...splitter.push('\nb\n'), ...splitter.end().rows)
  expect(rows.map(({ row, text }) => [row, text])).toEqual([
    [1, 'a'],
    [2, null],
    [3, 'b'],
  ])
})

test.each([
  ['a,b,', ['a', 'b', '']],
  ['""', ['']],
  ['"a,b","c""d"', ['a,b', 'c"d']],
  ['a"b', { problem: 'stray_quote', cell: 0 }],
  ['x,"a"b', { problem: 'text_after_quote', cell: 1 }],
  ['x,"a" ,b', { problem: 'text_after_quote', cell: 1 }],
  ['x,"ab', { problem: 'open_quote', cell: 1 }],
  ['x,"ab""', { problem: 'open_quote', cell: 1 }],
])('the cells of %s', (text, expected) => {
  expect(cellsOf(text, ',')).toEqual(expected)
})

describe('written rows are read back exactly', () => {
  const cell = fc.string({
    unit: fc.oneof(
      fc.constantFrom('"', ',', '\n', '\r', "'", '=', '+', '-', '@', '\t', ';', ' '),
      fc.constantFrom('＝', '＋', '－', '＠', '−', '\u00a0', '\ufeff'),
      fc.string({ minLength: 1, maxLength: 1, unit: 'grapheme' }),
    ),
    maxLength: 12,
  })

  test('rows of any cells, in pieces of any size', () => {
    const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 6 })
    fc.assert(
      fc.property(table, fc.integer({ min: 1, max: 40 }), (rows, pieceSize) => {
        const file = rows.map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('')
        const read = split(file, pieceSize).rows.map((raw) => {
          const text = textOf(raw)
          const cells = typeof text === 'string' ? cellsOf(text, ',') : text
          return Array.isArray(cells) ? cells.map(plainCell) : cells
        })
        expect(read).toEqual(rows)
      }),
    )
  })

  test.each(['＝1+1', '＋1', '－1', '＠A1', '−1', ' =1', '\u00a0=1', '\ufeff=1', '\n=1'])(
    'a full-width formula or one after a space is text, and is restored: %j',
    (text) => {
      expect(csvCell(text).replaceAll('"', '')).toBe(`'${text}`)
      expect(plainCell(`'${text}`)).toBe(text)
      expect(plainCell(csvCell(`'${text}`).replaceAll('"', ''))).toBe(`'${text}`)
    },
  )

  test('no cell begins as a formula', () => {
    fc.assert(
      fc.property(cell, (text) => {
        expect(csvCell(text)).not.toMatch(/^"?[\s\ufeff]*[=+\-@\t\r＝＋－＠−]/)
      }),
    )
  })
})

test.each([
  [[0x61, 0xe9, 0x62], 1, 'E9'],
  [[0xd0, 0x91, 0xd0], 2, 'D0'],
  [[0xc3, 0xee, 0xf0], 0, 'C3'],
  [[0xe2, 0x82, 0x28], 0, 'E2'],
  [[0x61, 0xff], 1, 'FF'],
])('bytes %j are not UTF-8 at %i', (bytes, at, byte) => {
  const text = Buffer.from(bytes).toString('latin1')
  expect(decodeRow(text, 100)).toMatchObject({ code: 'not_utf8', params: { at: 100 + at, byte } })
})
