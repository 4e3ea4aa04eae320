/**
 * Lets so many go on in each round of the event loop, in the order in which they came: together they keep
 * whoever else the process serves waiting no longer than one of them.
 */
export function openTurns(most: number): () => Promise<void> {
  const waiting: (() => void)[] = []
  let isDue = false
  const round = () => {
    for (const goOn of waiting.splice(0, most)) goOn()
    isDue = waiting.length > 0
    if (isDue) setImmediate(round)
  }
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve)
      if (isDue) return
      isDue = true
      setImmediate(round)
    })
}
