/** Limits the number of concurrent tasks; the others queue. */
export function atMost(most: number): <T>(task: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (task) => {
    if (running >= most) await new Promise<void>((start) => waiting.push(start))
    else running += 1
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}

/** The same per key. A key without a task costs nothing. */
export function atMostOfKey(most: number) {
  const lines = new Map<string, { run: ReturnType<typeof atMost>; users: number }>()
  return async <T>(key: string, task: () => Promise<T>): Promise<T> => {
    const line = lines.get(key) ?? { run: atMost(most), users: 0 }
    lines.set(key, line)
    line.users += 1
    try {
      return await line.run(task)
    } finally {
      line.users -= 1
      if (line.users === 0) lines.delete(key)
    }
  }
}
