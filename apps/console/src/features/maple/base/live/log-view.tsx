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

/** What a log passes to each of its rows. */
export interface RowProps<Item> {
  item: Item
  id: string
  isSelected: boolean
  place: number
  count: number
}

interface LogViewProps<Item extends Numbered> {
  /** Labels the log for screen readers. */
  label: string
  log: LiveLog<Item>
  /** Renders an item as an element with the role `option`, at its position. */
  renderRow: (props: RowProps<Item>) => ReactNode
  /** Nothing after this item is shown: the reader has paused. */
  pausedAt: number | undefined
  selected: number | undefined
  /** New items are scrolled into view. */
  isFollowing: boolean
  onFollow: (isFollowing: boolean) => void
  onSelect: (seq: number) => void
  /** Enter: opens the selected item. */
  onOpen: () => void
}

export const useLogVersion = <Item extends Numbered>(log: LiveLog<Item>) =>
  useSyncExternalStore(
    (listener) => log.subscribe(listener),
    () => log.version(),
  )

/** A live log. Only the rows in view are in the page. */
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
  // While held, the same elements keep the same rows: a press and its release hit the same one.
  const { isFollowing } = props
  const { from, to, slots } = rowsInSight({ first, room, count: held ?? count, isFollowing })

  useEffect(() => {
    if (isShown) reveal(place)
    // oxlint-disable-next-line react/exhaustive-deps -- the reader may scroll away from the selected item
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
  // One listener for all rows keeps a row cheap to render.
  const onClick = ({ target }: MouseEvent) => {
    const row = target instanceof Element ? target.closest('[role=option]') : null
    const found = shown[Number(row?.ariaPosInSet) - 1]
    if (found) onSelect(found.seq)
  }

  return (
    <div
      ref={frame}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a select holds only text, and all of it
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
          // When following, all rows change with every frame, and each element keeps its position;
          // when scrolled, most rows keep their elements, and those coming into view reuse the ones
          // that left it.
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
 * Rows hold still while a pointer is down: what is pressed is what was meant, and text can be
 * selected. A text selection keeps the log where it is.
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
    // Not on the scrollbar, whose release fires no event.
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
    // The click follows the release in the same task: until then no row may move.
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
