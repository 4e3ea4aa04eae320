/** At most this many requests of the palette are under way. */
const most = 5

let running = 0
const waiting: (() => void)[] = []

/** Runs requests a handful at once, in the order in which they came; one that is aborted is left out. */
export async function inTurn<T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> {
  if (running < most) running++
  else await new Promise<void>((resolve) => waiting.push(resolve))
  try {
    signal.throwIfAborted()
    return await request()
  } finally {
    // The next one takes this place.
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}
