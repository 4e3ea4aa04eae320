const key = 'grove.folded'
const folded = new Set(read())

function read(): string[] {
  try {
    return localStorage.getItem(key)?.split(',') ?? []
  } catch {
    // Storage denied: every group is open.
    return []
  }
}

/** Whether the reader closed a group of the side menu. */
export const isFolded = (group: string) => folded.has(group)

export function fold(group: string, isClosed: boolean) {
  if (isClosed === folded.has(group)) return
  if (isClosed) folded.add(group)
  else folded.delete(group)
  try {
    localStorage.setItem(key, [...folded].join(','))
  } catch {
    // Storage denied: the choice lasts as long as the page.
  }
}
