import { useEffect, useEffectEvent, useState } from 'react'
import type { LoggedMessage } from './logged-message.ts'
import { advance, countAt, momentBy, spanOf, type ReplaySpeed } from './replay.ts'

const stepMs = 100

/** Replays a log in its own time; it uses what is loaded, and sends nothing. */
export function useReplay(items: readonly LoggedMessage[]) {
  const [at, setAt] = useState<number>()
  const [isPlaying, setPlaying] = useState(false)
  const [speed, setSpeed] = useState<ReplaySpeed>(1)
  const { from, to } = spanOf(items)
  const step = useEffectEvent((elapsed: number) => {
    if (at === undefined) return
    const next = Math.min(advance(items, { at, speed, elapsed }), to)
    setAt(next)
    if (next >= to) setPlaying(false)
  })
  useEffect(() => {
    if (!isPlaying) return
    let before = performance.now()
    const timer = setInterval(() => {
      const now = performance.now()
      step(now - before)
      before = now
    }, stepMs)
    return () => clearInterval(timer)
  }, [isPlaying])

  const count = at === undefined ? 0 : countAt(items, at)
  return {
    isOn: at !== undefined,
    isPlaying,
    at: at ?? from,
    from,
    to,
    speed,
    setSpeed,
    /** The number of the last message shown; undefined when nothing is being replayed. */
    lastShown: at === undefined ? undefined : (items[count - 1]?.seq ?? 0),
    start: () => {
      setAt(from)
      setPlaying(true)
    },
    close: () => {
      setAt(undefined)
      setPlaying(false)
    },
    toggle: () => {
      if (!isPlaying && at !== undefined && at >= to) setAt(from)
      setPlaying(!isPlaying)
    },
    moveTo: (moment: number) => setAt(Math.min(Math.max(moment, from), to)),
    stepBy: (messages: number) => {
      setPlaying(false)
      setAt(momentBy(items, at ?? from, messages))
    },
  }
}

export type Replay = ReturnType<typeof useReplay>
