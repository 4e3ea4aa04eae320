const gap = 4
const margin = 8

export interface Placement {
  side: 'top' | 'bottom'
  align: 'start' | 'center' | 'end'
}

type Box = Pick<DOMRect, 'top' | 'bottom' | 'left' | 'right' | 'width'>
type Size = { width: number; height: number }

/** Where a panel goes: on the requested side if it fits or has more room there, and inside the window. */
export function placeBeside(anchor: Box, panel: Size, view: Size, { side, align }: Placement) {
  const above = anchor.top - gap - margin
  const below = view.height - anchor.bottom - gap - margin
  const wanted = side === 'bottom' ? below : above
  const other = side === 'bottom' ? above : below
  const isBelow = (wanted >= panel.height || wanted >= other) === (side === 'bottom')
  const height = Math.min(panel.height, isBelow ? below : above)
  const left = {
    start: anchor.left,
    center: anchor.left + (anchor.width - panel.width) / 2,
    end: anchor.right - panel.width,
  }[align]
  return {
    top: isBelow ? anchor.bottom + gap : anchor.top - gap - height,
    left: Math.max(margin, Math.min(left, view.width - panel.width - margin)),
    room: isBelow ? below : above,
  }
}

/** Keeps a fixed panel beside its anchor while either moves or changes size. */
export function followAnchor(anchor: Element, panel: HTMLElement, placement: Placement) {
  const place = () => {
    // Measured at its full height, not at the height that a smaller window left it.
    panel.style.maxHeight = ''
    const view = document.documentElement
    const { top, left, room } = placeBeside(
      anchor.getBoundingClientRect(),
      { width: panel.offsetWidth, height: panel.offsetHeight },
      { width: view.clientWidth, height: view.clientHeight },
      placement,
    )
    Object.assign(panel.style, { top: `${top}px`, left: `${left}px` })
    if (panel.offsetHeight > room) panel.style.maxHeight = `${room}px`
  }
  place()
  const size = new ResizeObserver(place)
  size.observe(panel)
  size.observe(anchor)
  const onScroll = (event: Event) => {
    if (!(event.target instanceof Node) || !panel.contains(event.target)) place()
  }
  addEventListener('scroll', onScroll, { capture: true, passive: true })
  addEventListener('resize', place)
  return () => {
    size.disconnect()
    removeEventListener('scroll', onScroll, { capture: true })
    removeEventListener('resize', place)
  }
}
