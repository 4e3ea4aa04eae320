const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** Whether a title contains a text, or each of its words starts a word of the title or its synonyms. */
export function matches(typed: string, title: string, synonyms = ''): boolean {
  const text = typed.trim().toLowerCase()
  if (title.toLowerCase().includes(text)) return true
  const typedWords = wordsOf(text)
  const own = wordsOf(`${title} ${synonyms}`)
  return (
    typedWords.length > 0 &&
    typedWords.every((word) => own.some((candidate) => candidate.startsWith(word)))
  )
}
