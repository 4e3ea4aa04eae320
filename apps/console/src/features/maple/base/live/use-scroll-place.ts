import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState, type RefObject } from 'react'
import { flushSync } from 'react-dom'
import { placeOf, type Numbered } from './live-log.ts'
import { rowHeight } from './rows-in-sight.ts'

/** Closer to the end than this, in pixels, counts as at the end. */
const atEnd = 4

interface ScrollPlace {
  frame: RefObject<HTMLDivElement | null>
  shown: readonly Numbered[]
  version: number
  count: number
  isFollowing: boolean
  /** The log is followed, but stands still while a row is pressed. */
  isHeld: boolean
  onFollow: (isFollowing: boolean) => void
}

/** Keeps the end in view while the log is followed, else the row that the reader looks at. */
export function useScrollPlace(options: ScrollPlace) {
  const { frame, shown, version, count, isFollowing, isHeld, onFollow } = options
  const [first, setFirst] = useState(0)
  const [room, setRoom] = useState(20)
  const anchor = useRef<{ seq: number; offset: number }>(undefined)
  const oldest = useRef(0)
  const top = useRef(0)

  useLayoutEffect(() => {
    const { current } = frame
    if (!current) return
    const measure = () => setRoom(Math.ceil(current.clientHeight / rowHeight) + 1)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    return () => observer.disconnect()
  }, [frame])

  useLayoutEffect(() => {
    const { current } = frame
    if (!current) return
    if (isFollowing) current.scrollTo({ top: count * rowHeight })
    else if (anchor.current && oldest.current !== (shown[0]?.seq ?? 0)) {
      const { seq, offset } = anchor.current
      current.scrollTo({ top: placeOf(shown, seq) * rowHeight + offset })
    }
    oldest.current = shown[0]?.seq ?? 0
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the list grows in place: only its version changes
  }, [frame, shown, version, count, isFollowing])

  const onScroll = useEffectEvent(() => {
    const { current } = frame
    if (!current) return
    const { scrollTop, scrollHeight, clientHeight } = current
    const place = Math.floor(scrollTop / rowHeight)
    const isUp = place < top.current
    top.current = place
    const item = shown[place]
    anchor.current = item && { seq: item.seq, offset: scrollTop - place * rowHeight }
    const isAtEnd = scrollHeight - scrollTop - clientHeight <= atEnd
    const isLeaving = (isFollowing || isHeld) && isUp && !isAtEnd
    // Rows coming into view are rendered in the same frame. When the log is followed they are there
    // already: only the reader scrolls up.
    if (!isFollowing || isLeaving) flushSync(() => setFirst(place))
    else setFirst(place)
    if (isLeaving) onFollow(false)
    if (!isFollowing && !isHeld && !isUp && isAtEnd) onFollow(true)
  })
  useEffect(() => {
    const { current } = frame
    const listen = () => onScroll()
    current?.addEventListener('scroll', listen, { passive: true })
    return () => current?.removeEventListener('scroll', listen)
  }, [frame])

  /** Scrolls as little as necessary. */
  const reveal = (place: number) => {
    const { current } = frame
    if (!current) return
    const { scrollTop, clientHeight } = current
    const start = place * rowHeight
    if (start < scrollTop) current.scrollTo({ top: start })
    else if (start + rowHeight > scrollTop + clientHeight)
      current.scrollTo({ top: start + rowHeight - clientHeight })
  }

  return { first, room, reveal }
}
