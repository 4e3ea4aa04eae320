/**
 * The first characters of a formula in spreadsheets, also full-width, as in East Asian editions, and
 * after ignored spaces; a leading apostrophe makes the cell text.
 */
const beginning = '[\\s\\u0000\\ufeff]*[=+\\-@\\t\\r\\n＝＋－﹣−＠]'
const formula = new RegExp(`^'*${beginning}`)
const escaped = new RegExp(`^'+${beginning}`)

/** A cell that no spreadsheet evaluates; `plainCell` restores the original. */
export const safeCell = (text: string): string => (formula.test(text) ? `'${text}` : text)

export const plainCell = (text: string): string => (escaped.test(text) ? text.slice(1) : text)

const needsQuotes = /[",;\t\r\n]|^\s|\s$/

/** A cell of a comma-separated CSV file: safe in a spreadsheet, and quoted if necessary. */
export function csvCell(text: string): string {
  const safe = safeCell(text)
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
