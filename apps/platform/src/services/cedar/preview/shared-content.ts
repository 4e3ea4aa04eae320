/** Maximum bytes of files in memory for unread responses. */
export interface ContentLimits {
  whole: number
  ofAddress: number
  /** How long a response waits for room, and how many wait at once. */
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
  /** Identifies the content: responses with the same content share it. */
  key: string
  bytes: number
  /** Who requests it. */
  address: string
}

interface Held {
  content: Promise<Buffer>
  bytes: number
  users: number
}

/** Bytes to release once their response is over, whatever the outcome. */
export interface Lent {
  content: Promise<Buffer>
  giveBack: () => void
}

/**
 * Content that is created once for all its current readers. Unread content stays in memory, so new
 * content waits while too much is unread: first per address, then in total. A file larger than the
 * limit is lent alone.
 */
export function sharedContent(limits: ContentLimits = contentLimits) {
  const held = new Map<string, Held>()
  // Per address, how many responses use each content.
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
    /** Undefined if there was no room in time. */
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
    /** Bytes currently in memory. */
    bytes: () => whole,
  }
}
