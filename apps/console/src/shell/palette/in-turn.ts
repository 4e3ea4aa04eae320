/** The maximum number of the palette's requests in flight. */
const most = 5

let running = 0
const waiting: (() => void)[] = []

/** Runs requests a few at a time, in order; aborted ones are skipped. */
export async function inTurn<T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> {
  if (running < most) running++
  else await new Promise<void>((resolve) => waiting.push(resolve))
  try {
    signal.throwIfAborted()
    return await request()
  } finally {
    // The next one takes this slot.
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}
