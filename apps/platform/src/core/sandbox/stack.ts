import type { Place } from './sandbox.ts'

/** The position of an error in a program: the innermost frame in its file. */
export function placeIn(stack: string, file: string): Place {
  for (const line of stack.split('\n')) {
    const at = line.lastIndexOf(`${file}:`)
    if (at === -1) continue
    const [row, column] = line.slice(at + file.length + 1).split(':')
    const found = numberOf(row)
    if (found !== null) return { line: found, column: numberOf(column) }
  }
  return { line: null, column: null }
}

/** A program can forge its stack. */
function numberOf(text: string | undefined): number | null {
  const digits = /^\d{1,6}/.exec(text ?? '')
  return digits ? Number(digits[0]) : null
}
