import { recentPrefix as prefix } from './drop-recent.ts'

/** Something that a person opened from the palette. */
export interface Recent {
  title: string
  detail?: string
  href: string
}

const most = 6

/** Newest first, for one person in this browser. */
export function recentOf(userId: string | null): Recent[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(prefix + userId) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isRecent) : []
  } catch {
    return []
  }
}

const isRecent = (kept: unknown): kept is Recent =>
  typeof kept === 'object' &&
  kept !== null &&
  'title' in kept &&
  typeof kept.title === 'string' &&
  'href' in kept &&
  typeof kept.href === 'string' &&
  kept.href.startsWith('/dashboard')

export function keepRecent(userId: string | null, { title, detail, href }: Recent) {
  const opened = { title, ...(detail !== undefined && { detail }), href }
  const others = recentOf(userId).filter((each) => each.href !== href)
  try {
    localStorage.setItem(prefix + userId, JSON.stringify([opened, ...others].slice(0, most)))
  } catch {
    // Storage is denied, so nothing is kept.
  }
}
