import { whenIdle } from '../page/when-idle.ts'

export interface Part {
  prefetch: () => void
}

const waiting = new Set<Part>()
let timer: ReturnType<typeof setInterval> | undefined

/**
 * Loads parts one after another, each in an idle moment, once nothing on the page is busy. All parts
 * of a page share one timer: each check searches the whole page, which costs a frame with 200 rows.
 */
export function prefetchLater(parts: readonly Part[], isFetching: () => boolean): () => void {
  for (const part of parts) waiting.add(part)
  timer ??= watch(isFetching)
  return () => {
    for (const part of parts) waiting.delete(part)
  }
}

function watch(isFetching: () => boolean) {
  // Three checks in a row: the rows of the last answer are rendered first.
  let quiet = 0
  return setInterval(() => {
    const isBusy =
      document.readyState !== 'complete' ||
      isFetching() ||
      document.querySelector('[aria-busy=true]') !== null
    quiet = isBusy ? 0 : quiet + 1
    if (quiet < 3) return
    clearInterval(timer)
    timer = undefined
    prefetchNext()
  }, 100)
}

function prefetchNext(): void {
  whenIdle(() => {
    const [part] = waiting
    if (!part) return
    waiting.delete(part)
    part.prefetch()
    prefetchNext()
  })
}
