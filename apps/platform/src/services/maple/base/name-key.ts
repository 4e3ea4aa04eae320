/**
 * What names are compared by. Lower case first, since that may leave the composed form; and one
 * sigma, since "ΟΔΟΣ" ends in another letter than the beginning of a longer word does. Composing
 * can make a text three times as long, which neither an index nor a cursor has room for.
 */
export function nameKey(name: string): string {
  const key = name.toLowerCase().replaceAll('ς', 'σ').normalize('NFC')
  return Array.from(key).slice(0, 100).join('')
}
