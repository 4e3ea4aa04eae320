/** How many bytes of files are in memory at once for answers that are not yet read. */
export interface ContentLimits {
  whole: number
  ofAddress: number
  /** How long an answer waits for room, and how many do at once. */
  waitMs: number
  maxWaiting: number
}

export const contentLimits: ContentLimits = {
  whole: 128 * 1024 * 1024,
  ofAddress: 64 * 1024 * 1024,
  waitMs: 10_000,
  maxWaiting: 512,
}

interface Wanted {
  /** Names the bytes: answers with the same ones share them. */
  key: string
  bytes: number
  /** Who asks for them. */
  address: string
}

interface Held {
  content: Promise<Buffer>
  bytes: number
  users: number
}

/** Bytes that must be given back once their answer is over, however it ends. */
export interface Lent {
  content: Promise<Buffer>
  giveBack: () => void
}

/**
 * Contents that are made once for all who read them at a time. What nobody reads stays in memory, so
 * new content waits while too much of it is unread: of one address first, then as a whole. A file that
 * is larger than its limit is lent alone.
 */
export function sharedContent(limits: ContentLimits = contentLimits) {
  const held = new Map<string, Held>()
  // Of each address, how many answers have each content.
  const addresses = new Map<string, { bytes: number; users: Map<string, number> }>()
  const waiting = new Set<() => boolean>()
  let whole = 0

  const fits = ({ key, bytes, address }: Wanted): boolean => {
    const own = addresses.get(address)
    const isOwn = own?.users.has(key) ?? false
    return (
      (held.has(key) || whole === 0 || whole + bytes <= limits.whole) &&
      (isOwn || !own || own.bytes + bytes <= limits.ofAddress)
    )
  }

  function lend({ key, bytes, address }: Wanted, make: () => Promise<Buffer>): Lent {
    const known = held.get(key)
    const entry: Held = known ?? { content: make(), bytes, users: 0 }
    if (!known) {
      held.set(key, entry)
      whole += bytes
    }
    entry.users += 1
    const own = addresses.get(address) ?? { bytes: 0, users: new Map<string, number>() }
    addresses.set(address, own)
    const before = own.users.get(key) ?? 0
    own.users.set(key, before + 1)
    if (before === 0) own.bytes += bytes
    let isBack = false
    return {
      content: entry.content,
      giveBack() {
        if (isBack) return
        isBack = true
        entry.users -= 1
        if (entry.users === 0) {
          held.delete(key)
          whole -= entry.bytes
        }
        const left = (own.users.get(key) ?? 1) - 1
        if (left > 0) own.users.set(key, left)
        else {
          own.users.delete(key)
          own.bytes -= bytes
          if (own.users.size === 0) addresses.delete(address)
        }
        for (const enter of waiting) if (enter()) waiting.delete(enter)
      },
    }
  }

  return {
    /** Undefined where there was no room in time. */
    async borrow(wanted: Wanted, make: () => Promise<Buffer>): Promise<Lent | undefined> {
      if (fits(wanted)) return lend(wanted, make)
      if (waiting.size >= limits.maxWaiting) return undefined
      return new Promise((resolve) => {
        const enter = () => {
          if (!fits(wanted)) return false
          clearTimeout(timer)
          resolve(lend(wanted, make))
          return true
        }
        const timer = setTimeout(() => {
          waiting.delete(enter)
          resolve(undefined)
        }, limits.waitMs)
        waiting.add(enter)
      })
    },
    /** Bytes in memory now. */
    bytes: () => whole,
  }
}
