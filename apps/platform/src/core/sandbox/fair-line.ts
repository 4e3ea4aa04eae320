import { ProblemError } from '../http/problem.ts'
import type { Turn } from './sandbox.ts'

interface Limits {
  most: number
  maxOfOwner: number
  maxWaiting: number
  maxAway: number
}

interface Owner {
  running: number
  waiting: (() => void)[]
}

/**
 * Limits concurrent tasks, in total and per owner. Owners take turns: one with many tasks delays only
 * its own.
 */
export function fairLine({ most, maxOfOwner, maxWaiting, maxAway }: Limits) {
  // In the order of their turns: after a turn an owner goes to the end.
  const owners = new Map<string, Owner>()
  let running = 0
  let away = 0

  function startNext(): void {
    while (running < most) {
      const found = [...owners].find(
        ([, each]) => each.waiting.length > 0 && each.running < maxOfOwner,
      )
      if (!found) return
      const [name, owner] = found
      owners.delete(name)
      owners.set(name, owner)
      running++
      owner.running++
      owner.waiting.shift()?.()
    }
  }

  /** Waits for a turn; false if the signal aborted first. */
  function turnOf(owner: Owner, signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const start = () => {
        signal?.removeEventListener('abort', leave)
        resolve(true)
      }
      const leave = () => {
        owner.waiting.splice(owner.waiting.indexOf(start), 1)
        resolve(false)
      }
      owner.waiting.push(start)
      signal?.addEventListener('abort', leave, { once: true })
      startNext()
    })
  }

  /** Tasks that resume do so immediately, so the limit may be exceeded for a moment. */
  function turnOfTask() {
    let isEnded = false
    let ownAway = 0
    const turn: Turn = {
      async leave(work) {
        if (isEnded || away >= maxAway) return work()
        away++
        if (ownAway++ === 0) running--
        startNext()
        try {
          return await work()
        } finally {
          away--
          if (--ownAway === 0 && !isEnded) running++
        }
      },
    }
    const end = () => {
      isEnded = true
      if (ownAway === 0) running--
    }
    return { turn, end }
  }

  /** Undefined if the signal aborted before its turn. @throws ProblemError `limit_reached`. */
  return async function inLine<Result>(
    name: string,
    signal: AbortSignal | undefined,
    task: (turn: Turn) => Promise<Result>,
  ): Promise<Result | undefined> {
    if (signal?.aborted) return undefined
    const owner = owners.get(name) ?? { running: 0, waiting: [] }
    if (owner.waiting.length >= maxWaiting)
      throw new ProblemError(
        'limit_reached',
        'Too many programs are already waiting. Try again later.',
      )
    owners.set(name, owner)
    const forget = () => {
      if (owner.running + owner.waiting.length === 0) owners.delete(name)
    }
    if (!(await turnOf(owner, signal))) {
      forget()
      return undefined
    }
    const { turn, end } = turnOfTask()
    try {
      return await task(turn)
    } finally {
      end()
      owner.running--
      forget()
      startNext()
    }
  }
}
