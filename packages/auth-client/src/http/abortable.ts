/** The work's result, unless the signal aborts first: then it rejects with the signal's reason. */
export function abortable<T>(work: Promise<T>, signal?: AbortSignal | null): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const end = onAbort(signal, () => reject(signal.reason))
    work.then(resolve, reject).finally(end)
  })
}

/**
 * Calls the listener when the signal aborts, immediately if it already has; returns an unsubscribe
 * function.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) listener()
  else signal.addEventListener('abort', listener)
  return () => signal.removeEventListener('abort', listener)
}
