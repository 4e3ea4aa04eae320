/** A raw row of a file, one byte per character, with its position. */
export interface RawRow {
  /** Counts from 1, the header and blank rows included, as a spreadsheet does. */
  row: number
  /** The offset of its first byte. */
  at: number
  /** Null for a row beyond the limit, which is not stored. */
  text: string | null
}

export interface RowSplitter {
  /** Takes the next text, one byte per character (`latin1`); returns the rows completed by it. */
  push: (text: string) => RawRow[]
  /** The last row, if it has no line end, and the position after it. */
  end: () => { rows: RawRow[]; at: number; row: number }
}

interface Options {
  /** The separator of CSV cells; null for JSON Lines, where quotes do not hide line ends. */
  delimiter: string | null
  maxRowLength: number
  /** Where to continue: the offset of the first text, and its row number. */
  at?: number
  row?: number
}

const quote = '"'
type Place = 'cellStart' | 'plain' | 'quoted' | 'quoteInQuoted'

/**
 * Splits a file into rows without decoding it: row ends are ASCII, so byte and character offsets are
 * equal. A row ends at LF, CRLF or CR outside quotes. Buffers at most one row.
 */
export function createRowSplitter({
  delimiter,
  maxRowLength,
  at = 0,
  row = 1,
}: Options): RowSplitter {
  /** The incomplete row, and up to where it was searched for its end. */
  let rest = ''
  let searched = 0
  /** How many bytes of an overlong row were dropped. */
  let dropped = 0
  let place: Place = 'cellStart'

  const take = (text: string, bytes: number): RawRow => {
    const taken = { row, at, text: dropped > 0 || text.length > maxRowLength ? null : text }
    row += 1
    at += dropped + bytes
    dropped = 0
    place = 'cellStart'
    return taken
  }

  /** The end of the row starting at `from`, or -1 if the text ends first. */
  function findEnd(text: string, from: number): number {
    if (delimiter === null) return text.indexOf('\n', from)
    let index = from
    while (index < text.length) {
      if (place === 'quoted') {
        const closing = text.indexOf(quote, index)
        if (closing === -1) return -1
        place = 'quoteInQuoted'
        index = closing + 1
        continue
      }
      const character = text[index]
      if (place === 'quoteInQuoted' && character === quote) place = 'quoted'
      else if (character === '\n' || character === '\r') return index
      else if (character === delimiter) place = 'cellStart'
      else if (place === 'cellStart' && character === quote) place = 'quoted'
      else place = 'plain'
      index += 1
    }
    return -1
  }

  function push(added: string, isLast = false): RawRow[] {
    const rows: RawRow[] = []
    const text = rest + added
    const next = nextOf(text)
    let start = 0
    for (;;) {
      const end = plainEnd(start, next) ?? findEnd(text, Math.max(start, searched))
      // Whether an LF belongs to a CR is known with the next byte.
      const isHalf = end === text.length - 1 && text[end] === '\r' && !isLast
      if (end === -1 || isHalf) {
        keep(text, start, isHalf ? end : text.length)
        return rows
      }
      const after = end + (text.startsWith('\r\n', end) ? 2 : 1)
      rows.push(take(text.slice(start, end), after - start))
      start = after
      searched = after
    }
  }

  function keep(text: string, start: number, to: number): void {
    const isTooLong = dropped > 0 || text.length - start > maxRowLength
    if (isTooLong) dropped += to - start
    const from = isTooLong ? to : start
    rest = text.slice(from)
    searched = to - from
  }

  /** The end of a row without quotes, which most rows are: found without checking each character. */
  function plainEnd(start: number, next: Next) {
    if (delimiter === null || searched > start || place !== 'cellStart') return undefined
    const end = Math.min(next('\n', start), next('\r', start))
    if (end === Infinity || next(quote, start) < end) return undefined
    return end
  }

  return {
    push: (text) => push(text),
    end() {
      const rows = push('', true)
      if (rest !== '' || dropped > 0) rows.push(take(rest, rest.length))
      rest = ''
      return { rows, at, row }
    },
  }
}

type Next = (character: string, from: number) => number

/** Finds characters from places that only grow, so that none is looked for twice. */
function nextOf(text: string): Next {
  const found = new Map<string, number>()
  return (character, from) => {
    const known = found.get(character)
    if (known !== undefined && known >= from) return known
    const index = text.indexOf(character, from)
    const place = index === -1 ? Infinity : index
    found.set(character, place)
    return place
  }
}

export type CellProblem = 'stray_quote' | 'text_after_quote' | 'open_quote'

/** The cells of one row, strictly by RFC 4180, or what is wrong and in which cell. */
export function cellsOf(
  text: string,
  delimiter: string,
): string[] | { problem: CellProblem; cell: number } {
  if (!text.includes(quote)) return text.split(delimiter)
  const cells: string[] = []
  let at = 0
  for (;;) {
    const next = text[at] === quote ? quotedCell(text, at) : plainCell(text, at, delimiter)
    if ('problem' in next) return { problem: next.problem, cell: cells.length }
    cells.push(next.value)
    if (next.end === text.length) return cells
    if (text[next.end] !== delimiter) return { problem: 'text_after_quote', cell: cells.length - 1 }
    at = next.end + 1
  }
}

type Cell = { value: string; end: number } | { problem: CellProblem }

function plainCell(text: string, at: number, delimiter: string): Cell {
  const found = text.indexOf(delimiter, at)
  const end = found === -1 ? text.length : found
  const value = text.slice(at, end)
  return value.includes(quote) ? { problem: 'stray_quote' } : { value, end }
}

function quotedCell(text: string, at: number): Cell {
  let closing = text.indexOf(quote, at + 1)
  while (closing !== -1 && text[closing + 1] === quote) closing = text.indexOf(quote, closing + 2)
  if (closing === -1) return { problem: 'open_quote' }
  return { value: text.slice(at + 1, closing).replaceAll('""', quote), end: closing + 1 }
}
