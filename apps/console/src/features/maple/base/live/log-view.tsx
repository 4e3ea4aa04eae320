import {
  Fragment,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
  useSyncExternalStore,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
} from 'react'
import { placeOf, type LiveLog, type Numbered } from './live-log.ts'
import styles from './log.module.css'
import { rowHeight, rowsInSight } from './rows-in-sight.ts'
import { useScrollPlace } from './use-scroll-place.ts'

/** What a log gives each of its rows. */
export interface RowProps<Item> {
  item: Item
  id: string
  isSelected: boolean
  place: number
  count: number
}

interface LogViewProps<Item extends Numbered> {
  /** Names the log to a screen reader. */
  label: string
  log: LiveLog<Item>
  /** Draws an item in an element with the role `option`, at its place. */
  renderRow: (props: RowProps<Item>) => ReactNode
  /** Nothing behind this item is shown: the reader has paused. */
  pausedAt: number | undefined
  selected: number | undefined
  /** New items are scrolled into sight. */
  isFollowing: boolean
  onFollow: (isFollowing: boolean) => void
  onSelect: (seq: number) => void
  /** Enter: read the item that is selected. */
  onOpen: () => void
}

export const useLogVersion = <Item extends Numbered>(log: LiveLog<Item>) =>
  useSyncExternalStore(
    (listener) => log.subscribe(listener),
    () => log.version(),
  )

/** A log as it grows. Only the rows in sight are in the page. */
export function LogView<Item extends Numbered>(props: LogViewProps<Item>) {
  const { label, log, renderRow, pausedAt, selected, onFollow, onSelect, onOpen } = props
  const id = useId()
  const frame = useRef<HTMLDivElement>(null)
  const version = useLogVersion(log)
  const shown = log.shown()
  const count = pausedAt === undefined ? shown.length : placeOf(shown, pausedAt + 1)
  const held = useHeld(frame, count, onFollow)
  const isHeld = held !== undefined
  const place = selected === undefined ? -1 : placeOf(shown, selected)
  const isShown = place >= 0 && place < count && shown[place]?.seq === selected
  const { first, room, reveal } = useScrollPlace({
    frame,
    shown,
    version,
    count,
    isFollowing: props.isFollowing && !isHeld,
    isHeld,
    onFollow,
  })
  // Held, the same elements keep the same rows: a press and its release meet in one of them.
  const { isFollowing } = props
  const { from, to, slots } = rowsInSight({ first, room, count: held ?? count, isFollowing })

  useEffect(() => {
    if (isShown) reveal(place)
    // oxlint-disable-next-line react/exhaustive-deps -- the reader may scroll away from what is selected
  }, [selected, isShown])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Enter') {
      event.preventDefault()
      return onOpen()
    }
    const now = isShown ? place : first - 1
    const page = Math.max(1, room - 2)
    const next = {
      ArrowDown: now + 1,
      ArrowUp: now - 1,
      PageDown: now + page,
      PageUp: now - page,
      Home: 0,
      End: count - 1,
    }[event.key]
    if (next === undefined) return
    event.preventDefault()
    const found = shown[Math.min(Math.max(next, 0), count - 1)]
    if (found) onSelect(found.seq)
  }
  // One listener for all rows: a row is cheap to draw.
  const onClick = ({ target }: MouseEvent) => {
    const row = target instanceof Element ? target.closest('[role=option]') : null
    const found = shown[Number(row?.ariaPosInSet) - 1]
    if (found) onSelect(found.seq)
  }

  return (
    <div
      ref={frame}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a select holds texts, and all of them
      role="listbox"
      aria-label={label}
      aria-activedescendant={isShown ? `${id}-${selected}` : undefined}
      aria-keyshortcuts="j k"
      tabIndex={0}
      className={styles.scroll}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      <div role="presentation" style={{ height: count * rowHeight }} className={styles.rows}>
        {shown.slice(from, to).map((item, index) => (
          // Followed, all rows change with every frame, and each element keeps its place; scrolled,
          // most rows keep theirs, and those that come into sight take the ones that left it.
          <Fragment key={isFollowing ? index : (from + index) % slots}>
            {renderRow({
              item,
              id: `${id}-${item.seq}`,
              isSelected: item.seq === selected,
              place: from + index,
              count,
            })}
          </Fragment>
        ))}
      </div>
    </div>
  )
}

/**
 * Rows hold still under a pointer that is down: what is pressed is what was meant, and text can be
 * selected. A selection that stays keeps the log where it is.
 * @returns How many rows there were at the press; undefined while nothing is pressed.
 */
function useHeld(
  frame: RefObject<HTMLElement | null>,
  count: number,
  onFollow: (is: false) => void,
) {
  const [held, setHeld] = useState<number>()
  const isHeld = held !== undefined
  const hold = useEffectEvent(({ target }: PointerEvent) => {
    // Not that of the scrollbar, whose release nobody hears of.
    if (target instanceof Element && target.closest('[role=option]')) setHeld(count)
  })
  useEffect(() => {
    const { current } = frame
    const listen = (event: PointerEvent) => hold(event)
    current?.addEventListener('pointerdown', listen)
    return () => current?.removeEventListener('pointerdown', listen)
  }, [frame])
  useEffect(() => {
    if (!isHeld) return
    const free = () => {
      const selection = getSelection()
      if (selection?.isCollapsed === false && frame.current?.contains(selection.anchorNode))
        onFollow(false)
      setHeld(undefined)
    }
    // The click comes after the release, in the same task: until then no row may move.
    const release = () => requestAnimationFrame(free)
    addEventListener('pointerup', release)
    addEventListener('pointercancel', release)
    return () => {
      removeEventListener('pointerup', release)
      removeEventListener('pointercancel', release)
    }
  }, [isHeld, frame, onFollow])
  return held
}
