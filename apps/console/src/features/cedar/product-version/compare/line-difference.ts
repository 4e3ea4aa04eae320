import { diffLines } from 'diff'

export interface Line {
  kind: 'same' | 'added' | 'removed'
  text: string
  /** Its number before and after; undefined on the side that lacks it. */
  before: number | undefined
  after: number | undefined
}

/** Lines that are shown, or equal ones that are folded until the reader expands them. */
export type Part = { kind: 'lines'; lines: Line[] } | { kind: 'gap'; lines: Line[] }

export type LineDifference =
  | { status: 'compared'; parts: Part[]; added: number; removed: number; isCut: boolean }
  | { status: 'too-large' }
  | { status: 'too-different' }

/** Total characters of both texts. Comparing more would block the page. */
export const maxCharacters = 1_000_000
/** Total lines that are drawn. */
const maxLines = 4000
/** A line of a minified script may be the whole script. */
const maxLineLength = 1000
const comparingMs = 700
/** Equal lines shown around a change. */
const context = 3

/** What changed from one text to the other, line by line. */
export function differenceOf(before: string, after: string): LineDifference {
  if (before.length + after.length > maxCharacters) return { status: 'too-large' }
  const changes = diffLines(before, after, { timeout: comparingMs, stripTrailingCr: true })
  if (!changes) return { status: 'too-different' }
  const lines: Line[] = []
  const at = { before: 0, after: 0 }
  const sum = { added: 0, removed: 0 }
  for (const { value, added, removed } of changes) {
    const kind = added ? 'added' : removed ? 'removed' : 'same'
    const texts = value.endsWith('\n') ? value.slice(0, -1) : value
    for (const text of texts.split('\n')) {
      if (kind !== 'added') at.before += 1
      if (kind !== 'removed') at.after += 1
      if (kind !== 'same') sum[kind] += 1
      lines.push({
        kind,
        text: text.length > maxLineLength ? `${text.slice(0, maxLineLength)}…` : text,
        before: kind === 'added' ? undefined : at.before,
        after: kind === 'removed' ? undefined : at.after,
      })
    }
  }
  const isCut = lines.filter(({ kind }) => kind !== 'same').length > maxLines
  return { status: 'compared', parts: partsOf(isCut ? firstChanges(lines) : lines), ...sum, isCut }
}

function firstChanges(lines: Line[]): Line[] {
  let changes = 0
  const end = lines.findIndex(({ kind }) => kind !== 'same' && ++changes > maxLines)
  return lines.slice(0, end)
}

/** Folds equal lines that are far from any change. */
function partsOf(lines: Line[]): Part[] {
  const isNear = Array.from({ length: lines.length }, () => false)
  for (const [index, { kind }] of lines.entries())
    if (kind !== 'same')
      isNear.fill(true, Math.max(0, index - context), Math.min(lines.length, index + context + 1))
  const parts: Part[] = []
  for (const [index, line] of lines.entries()) {
    const kind = isNear[index] ? 'lines' : 'gap'
    const last = parts.at(-1)
    if (last?.kind === kind) last.lines.push(line)
    else parts.push({ kind, lines: [line] })
  }
  // A single line takes as much room as the button that would show it.
  return parts.map((part) => (part.lines.length === 1 ? { ...part, kind: 'lines' } : part))
}
