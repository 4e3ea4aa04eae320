/**
 * Lets a limited number proceed in each turn of the event loop, in order of arrival: together they
 * delay the process's other work no longer than one of them would.
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
