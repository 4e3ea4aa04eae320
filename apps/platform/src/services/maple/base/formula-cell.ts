/**
 * What a spreadsheet takes for the beginning of a formula, also in full width, as East Asian editions
 * do, and after spaces that some drop; an apostrophe before it makes it text.
 */
const beginning = '[\\s\\u0000\\ufeff]*[=+\\-@\\t\\r\\n＝＋－﹣−＠]'
const formula = new RegExp(`^'*${beginning}`)
const escaped = new RegExp(`^'+${beginning}`)

/** A cell that no spreadsheet runs; `plainCell` gives back exactly what it was. */
export const safeCell = (text: string): string => (formula.test(text) ? `'${text}` : text)

export const plainCell = (text: string): string => (escaped.test(text) ? text.slice(1) : text)

const needsQuotes = /[",;\t\r\n]|^\s|\s$/

/** A cell of a CSV file with commas: safe in a spreadsheet, and quoted where it must be. */
export function csvCell(text: string): string {
  const safe = safeCell(text)
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
