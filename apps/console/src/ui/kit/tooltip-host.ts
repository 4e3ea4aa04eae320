import { followAnchor } from './anchor.ts'
import styles from './tooltip.module.css'

const hoverDelay = 400
const holdDelay = 500
/** The time for the pointer to cross from the element to its tooltip, and on to the next. */
const grace = 200

let isStarted = false

/** Shows the tooltips of the whole document: one element, with listeners only on the document. */
export function showTooltips(): void {
  if (isStarted) return
  isStarted = true
  const tip = document.createElement('div')
  tip.role = 'tooltip'
  tip.className = styles.tip ?? ''
  tip.popover = 'manual'

  let anchor: HTMLElement | undefined
  let unfollow = () => {}
  let timer: ReturnType<typeof setTimeout> | undefined
  let hold: ReturnType<typeof setTimeout> | undefined
  let hiddenAt = -Infinity

  const anchorOf = ({ target }: Event) =>
    target instanceof Element ? target.closest<HTMLElement>('[data-tooltip]') : null
  const after = (milliseconds: number, run: () => void) => {
    clearTimeout(timer)
    timer = setTimeout(run, milliseconds)
  }

  // Its text may change while it is shown ("Copied"), and so may the page below it.
  const changes = new MutationObserver(() => {
    const text = anchor?.isConnected && anchor.dataset['tooltip']
    if (!text) hide()
    // Rewriting the tooltip would be a mutation of the page itself.
    else if (tip.textContent !== text) tip.textContent = text
  })

  const show = (element: HTMLElement) => {
    clearTimeout(timer)
    if (anchor === element) return
    hide()
    const text = element.dataset['tooltip']
    if (!text || !element.isConnected) return
    anchor = element
    tip.textContent = text
    // Inside an open dialog: everything outside it is inert.
    const host = element.closest('dialog[open]') ?? document.body
    if (tip.parentElement !== host) host.append(tip)
    tip.showPopover()
    unfollow = followAnchor(element, tip, { side: 'top', align: 'center' })
    const options = { childList: true, subtree: true, attributeFilter: ['data-tooltip'] }
    changes.observe(document.body, options)
  }
  const hide = () => {
    clearTimeout(timer)
    if (!anchor) return
    anchor = undefined
    changes.disconnect()
    unfollow()
    tip.hidePopover()
    hiddenAt = performance.now()
  }

  // The pointer or the focus may have arrived before this code.
  const focused = document.querySelector<HTMLElement>('[data-tooltip]:focus-visible')
  const hovered = document.querySelector<HTMLElement>('[data-tooltip]:hover')
  if (focused) show(focused)
  else if (hovered) after(hoverDelay, () => show(hovered))
  document.addEventListener('pointerover', (event) => {
    if (event.pointerType === 'touch') return
    const element = anchorOf(event)
    if (element) {
      const isWarm = anchor !== undefined || performance.now() - hiddenAt < grace
      after(isWarm ? 0 : hoverDelay, () => show(element))
    } else if (event.target === tip) clearTimeout(timer)
    else if (anchor && !anchor.matches(':focus-visible')) after(grace, hide)
    else clearTimeout(timer)
  })
  document.addEventListener('focusin', (event) => {
    const element = anchorOf(event)
    if (element?.matches(':focus-visible')) show(element)
  })
  document.addEventListener('focusout', (event) => {
    // Not the tooltip that is due for another element.
    if (anchor && anchorOf(event) === anchor) hide()
  })
  document.addEventListener('keydown', ({ key }) => key === 'Escape' && hide())

  document.addEventListener('pointerdown', (event) => {
    const element = anchorOf(event)
    // A mouse press means the action, so its name is no longer needed.
    if (event.pointerType !== 'touch') clearTimeout(timer)
    else if (!element) hide()
    else hold = setTimeout(() => show(element), holdDelay)
  })
  document.addEventListener('click', (event) => {
    const isTouch = event instanceof PointerEvent && event.pointerType === 'touch'
    const element = anchorOf(event)
    if (!isTouch || !element) return
    const isAction = element.matches('a[href], button, input, select, summary, [role]')
    // A tap on a disabled control shows the reason.
    if (!isAction || element.ariaDisabled === 'true') show(element)
  })
  // A finger that is scrolling or has tapped is not a long press.
  for (const end of ['pointercancel', 'pointerup', 'scroll'])
    document.addEventListener(end, () => clearTimeout(hold), { capture: true, passive: true })
}
