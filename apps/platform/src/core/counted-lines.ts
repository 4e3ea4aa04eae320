interface Options {
  write: (fields: object) => void
  /** How often repeated lines are counted, in milliseconds. */
  everyMs?: number | undefined
  /** Distinct lines written individually; further ones are counted together. */
  most?: number
}

export interface CountedLines {
  note: (fields: object) => void
  /** Writes the counts. */
  close: () => void
}

/**
 * Log lines that outsiders can trigger at will. A new one is written; repetitions are written once a
 * minute, with `count`.
 */
export function countedLines({ write, everyMs = 60_000, most = 500 }: Options): CountedLines {
  const known = new Map<string, { fields: object; count: number }>()
  let others = 0
  function flush() {
    for (const [key, each] of known) {
      if (each.count === 0) known.delete(key)
      else write({ ...each.fields, count: each.count })
      each.count = 0
    }
    if (others > 0) write({ reason: `More than ${most} different lines.`, count: others })
    others = 0
  }
  const timer = setInterval(flush, everyMs)
  timer.unref()
  return {
    note(fields) {
      const key = JSON.stringify(fields)
      const found = known.get(key)
      if (found) return void found.count++
      if (known.size >= most) return void others++
      known.set(key, { fields, count: 0 })
      write({ ...fields, count: 1 })
    },
    close() {
      clearInterval(timer)
      flush()
    },
  }
}
