/** Upper case and without the tag and length `9F7F2A`, as an element is stored. */
export function normalizeCplc(cplc: string): string {
  return cplc.toUpperCase().replace(/^9F7F2A(?=.{84}$)/, '')
}
