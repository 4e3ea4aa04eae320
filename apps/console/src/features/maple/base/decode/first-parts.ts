import type { Part } from '@grove/secure-element/part'

export interface FirstParts {
  parts: Part[]
  /** How many are left out. */
  left: number
}

/** With more parts, a tree is too long to read. */
const maxParts = 400

/** The first parts of a tree in preorder. */
export function firstParts(parts: readonly Part[], most = maxParts): FirstParts {
  let room = most
  const take = (list: readonly Part[]): Part[] => {
    const taken: Part[] = []
    for (const part of list) {
      if (room === 0) break
      room--
      taken.push(part.parts ? { ...part, parts: take(part.parts) } : part)
    }
    return taken
  }
  const taken = take(parts)
  return { parts: taken, left: count(parts) - count(taken) }
}

const count = (parts: readonly Part[]): number =>
  parts.reduce((sum, { parts: inner = [] }) => sum + 1 + count(inner), 0)
