import { ApiProblem } from '../../../../api/problem.ts'
import { createEventReader, type StreamEvent } from './event-stream.ts'

/** The state of the connection, for the page. */
export type Connection =
  | { status: 'connecting' }
  | { status: 'live' }
  /** Lost; the next attempt starts at `retryAt`. */
  | { status: 'lost'; retryAt: number }
  /** The service refused it: retrying would not help. */
  | { status: 'refused'; problem: ApiProblem }
  | { status: 'ended' }

interface FollowOptions {
  /** Opens the stream after the event with this ID. */
  open: (after: string, signal: AbortSignal) => Promise<Response>
  /** Returns true once the stream has said that it is complete. */
  onEvents: (events: StreamEvent[]) => boolean
  onConnection: (connection: Connection) => void
  signal: AbortSignal
  /** The ID of the last event already known. */
  after?: string
  /** Signals to retry before the pause is over, such as when the browser comes back online. */
  wake?: EventTarget
}

/** The service sends a heartbeat every 15 s: a stream that is silent for longer is dead. */
const maxSilence = 40_000
const pauses = [500, 1000, 2000, 4000, 8000]

/**
 * Follows a stream until it ends or `signal` aborts. A lost connection is reopened after the last
 * event that arrived, so that nothing is missed or repeated.
 */
export async function follow(options: FollowOptions): Promise<void> {
  const { open, onEvents, onConnection, signal } = options
  let after = options.after ?? ''
  for (let failures = 0; !signal.aborted; failures++) {
    onConnection({ status: 'connecting' })
    const silence = createSilence(signal)
    try {
      const response = await open(after, silence.signal)
      onConnection({ status: 'live' })
      failures = 0
      const isEnded = await read(response, silence.alive, (events) => {
        after = events.at(-1)?.id || after
        return onEvents(events)
      })
      if (isEnded) return onConnection({ status: 'ended' })
    } catch (error) {
      if (isFinal(error)) return onConnection({ status: 'refused', problem: error })
    } finally {
      silence.stop()
    }
    if (signal.aborted) return
    const pause = pauses[Math.min(failures, pauses.length - 1)] ?? 0
    onConnection({ status: 'lost', retryAt: Date.now() + pause })
    await rest(pause, signal, options.wake)
  }
}

const isFinal = (error: unknown): error is ApiProblem =>
  error instanceof ApiProblem && error.status >= 400 && error.status < 500 && error.status !== 429

/** Aborts when nothing has arrived for too long. */
function createSilence(outer: AbortSignal) {
  const abort = new AbortController()
  const stopOuter = () => abort.abort()
  outer.addEventListener('abort', stopOuter)
  if (outer.aborted) abort.abort()
  const expire = () => abort.abort()
  let timer = setTimeout(expire, maxSilence)
  return {
    signal: abort.signal,
    alive: () => {
      clearTimeout(timer)
      timer = setTimeout(expire, maxSilence)
    },
    stop: () => {
      clearTimeout(timer)
      outer.removeEventListener('abort', stopOuter)
      abort.abort()
    },
  }
}

async function read(
  response: Response,
  alive: () => void,
  take: (events: StreamEvent[]) => boolean,
): Promise<boolean> {
  const reader = response.body?.getReader()
  if (!reader) return false
  const decoder = new TextDecoder()
  const eventsOf = createEventReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return false
    alive()
    const events = eventsOf(decoder.decode(value, { stream: true }))
    if (events.length > 0 && take(events)) return true
  }
}

function rest(milliseconds: number, signal: AbortSignal, wake: EventTarget | undefined) {
  return new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      wake?.removeEventListener('online', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal.addEventListener('abort', end)
    wake?.addEventListener('online', end)
  })
}
