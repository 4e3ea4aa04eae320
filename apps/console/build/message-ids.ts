const shortest = 2

/**
 * A shorter ID for each message: its shortest unique prefix. The six random letters of an ID do not
 * compress, neither in the catalogue nor wherever the message is used.
 */
export function shortIds(ids: readonly string[]): Map<string, string> {
  const sorted = [...new Set(ids)].toSorted()
  return new Map(
    sorted.map((id, index) => {
      const shared = Math.max(
        sharedLength(id, sorted[index - 1] ?? ''),
        sharedLength(id, sorted[index + 1] ?? ''),
      )
      return [id, id.slice(0, Math.max(shortest, shared + 1))]
    }),
  )
}

function sharedLength(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return length
}
