import { messageWindow } from '@grove/device-protocol/limits'
import type { Coming } from './connection-machine.ts'

/** Queued messages of one connection: as many as one read of a link can contain. */
const maxWaiting = 64 * messageWindow

/** A link whose reading can be paused. */
interface Source {
  pause: () => void
  resume: () => void
  /** It keeps delivering while paused. */
  isLossy?: boolean
}

/** Messages allowed at once, and then per second. */
interface Pace {
  burst: number
  perSecond: number
}

interface Incoming {
  text: string
  coming: Coming
}

/**
 * Received messages that are not processed yet. The link is paused while the device sends faster than
 * it may, or faster than its messages are stored.
 */
export class Inbox {
  readonly #source: Source
  readonly #pace: Pace
  readonly #waiting: Incoming[] = []
  #isPaused = false
  /** Messages that may be processed now, as of `filledAt`. */
  #tokens: number
  #filledAt: number
  #unstored = 0

  constructor(source: Source, pace: Pace, now: number) {
    this.#source = source
    this.#pace = pace
    this.#tokens = pace.burst
    this.#filledAt = now
  }

  isPaused(): boolean {
    return this.#isPaused
  }

  hasRoom(): boolean {
    return this.#tokens >= 1 && this.#unstored < messageWindow
  }

  refill(now: number): void {
    const { burst, perSecond } = this.#pace
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#filledAt) / 1000) * perSecond)
    this.#filledAt = now
  }

  /** Returns whether tokens are left. */
  spend(tokens: number): boolean {
    this.#tokens -= tokens
    return this.#tokens >= 1
  }

  /** Tracks how many messages are being stored. */
  countUnstored(more: 1 | -1): void {
    this.#unstored += more
  }

  /** Returns false if the queue is too long. A paused link still delivers what it has already read. */
  add(incoming: Incoming): boolean {
    this.#waiting.push(incoming)
    if (this.#waiting.length > (this.#source.isLossy ? messageWindow : maxWaiting)) return false
    this.pause()
    return true
  }

  next(): Incoming | undefined {
    return this.#waiting.shift()
  }

  pause(): void {
    this.#isPaused = true
    this.#source.pause()
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#source.resume()
  }
}
