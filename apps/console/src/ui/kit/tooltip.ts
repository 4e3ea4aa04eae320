/**
 * Explains an element on hover, on focus by key and on touch, in place of `title`, which keys and
 * fingers cannot reach. Spread it on the element: `<button {...tooltip(reason)}>`.
 */
export const tooltip = (text: string | undefined) =>
  text === undefined ? {} : { 'data-tooltip': text, 'aria-description': text }

/** Names a button that shows only an icon, and says the name beside it. */
export const iconName = (text: string) => ({ 'data-tooltip': text, 'aria-label': text })

/** Loads what shows the tooltips. */
export function loadTooltips() {
  // Without its code there is no tooltip; names and descriptions are in the page.
  import('./tooltip-host.ts').then(({ showTooltips }) => showTooltips()).catch(() => {})
}
