/**
 * The key for comparing names. Lower case first, since it may leave NFC; sigma is unified, since
 * "ΟΔΟΣ" ends in a different letter than the prefix of a longer word. Normalisation can triple the
 * length of a text, which neither an index nor a cursor has room for.
 */
export function nameKey(name: string): string {
  const key = name.toLowerCase().replaceAll('ς', 'σ').normalize('NFC')
  return Array.from(key).slice(0, 100).join('')
}
