// What a spreadsheet would evaluate as a formula (OWASP "CSV Injection").
const formula = /^[\s\0\ufeff]*[=+\-@\t\r\n＝＋－﹣−＠]/

/**
 * One RFC 4180 line; text that a spreadsheet would take for a formula is prefixed with an apostrophe.
 */
export const csvLine = (cells: readonly string[]): string =>
  `${cells
    .map((cell) => (formula.test(cell) ? `'${cell}` : cell))
    .map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(',')}\r\n`
