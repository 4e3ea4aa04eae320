export interface ComboboxOption {
  id: string
  label: string
  /** A second line, such as an ID or a URL, which the search covers too. */
  note?: string
}

/** All options, or a function that searches a server. */
export type OptionSource =
  | readonly ComboboxOption[]
  | ((query: string, signal: AbortSignal) => Promise<readonly ComboboxOption[]>)

/** Options shown at once: nobody reads more, and each adds a row to the page. */
export const shownOptions = 100

const plain = (text: string) =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{Diacritic}/gu, '')
    .toLowerCase()

/** The options that contain every word of the query. */
export function matchingOptions(options: readonly ComboboxOption[], query: string) {
  const words = plain(query).split(/\s+/)
  return options.filter(({ label, note = '' }) => {
    const text = plain(`${label} ${note}`)
    return words.every((word) => text.includes(word))
  })
}
