export const logLevels = ['debug', 'log', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

export interface LogLine {
  id: number
  level: LogLevel
  text: string
  /** How often it occurred in a row. */
  count: number
}

export interface Log {
  lines: readonly LogLine[]
  /** Lines dropped because they came too fast. */
  dropped: number
}

export const emptyLog: Log = { lines: [], dropped: 0 }

const maxLines = 300
const maxTextLength = 2000
const maxPerSecond = 200

/** Lines from a frame: whatever they claim to be, they become text of limited size. */
export function readLines(sent: unknown): Omit<LogLine, 'id' | 'count'>[] {
  if (!Array.isArray(sent)) return []
  return sent.slice(0, maxPerSecond).flatMap((line: unknown) => {
    if (typeof line !== 'object' || line === null) return []
    const { level, text } = line as Record<string, unknown>
    const known = logLevels.find((each) => each === level)
    if (known === undefined || typeof text !== 'string') return []
    return [{ level: known, text: text.slice(0, maxTextLength) }]
  })
}

/** Collects lines, so many a second, and keeps the latest. */
export function createLog(now: () => number = Date.now) {
  let log = emptyLog
  let lastId = 0
  let second = 0
  let inSecond = 0
  return {
    current: () => log,
    clear: () => {
      log = emptyLog
    },
    add: (lines: ReturnType<typeof readLines>, dropped: number) => {
      const current = Math.floor(now() / 1000)
      if (current !== second) inSecond = 0
      second = current
      const taken = lines.slice(0, Math.max(0, maxPerSecond - inSecond))
      inSecond += taken.length
      const all = [...log.lines]
      for (const line of taken) {
        const last = all.at(-1)
        if (last?.text === line.text && last.level === line.level)
          all[all.length - 1] = { ...last, count: last.count + 1 }
        else all.push({ ...line, id: (lastId += 1), count: 1 })
      }
      log = {
        lines: all.slice(-maxLines),
        dropped: log.dropped + Math.max(0, dropped) + lines.length - taken.length,
      }
    },
  }
}
