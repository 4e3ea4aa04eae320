export interface ComboboxOption {
  id: string
  label: string
  /** A second line, such as an id or an address; the search looks here too. */
  note?: string
}

/** All options there are, or a search for them on a server. */
export type OptionSource =
  | readonly ComboboxOption[]
  | ((query: string, signal: AbortSignal) => Promise<readonly ComboboxOption[]>)

/** Options shown at once: nobody reads more, and each is a row of the page. */
export const shownOptions = 100

const plain = (text: string) =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{Diacritic}/gu, '')
    .toLowerCase()

/** The options in which every word of the query occurs. */
export function matchingOptions(options: readonly ComboboxOption[], query: string) {
  const words = plain(query).split(/\s+/)
  return options.filter(({ label, note = '' }) => {
    const text = plain(`${label} ${note}`)
    return words.every((word) => text.includes(word))
  })
}
