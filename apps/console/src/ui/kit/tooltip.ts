/**
 * Explains an element on hover, on keyboard focus and on touch, instead of `title`, which keyboard
 * and touch users cannot reach. Spread it on the element: `<button {...tooltip(reason)}>`.
 */
export const tooltip = (text: string | undefined) =>
  text === undefined ? {} : { 'data-tooltip': text, 'aria-description': text }

/** Labels a button that shows only an icon, and shows the label beside it. */
export const iconName = (text: string) => ({ 'data-tooltip': text, 'aria-label': text })

/** Loads the code that shows tooltips. */
export function loadTooltips() {
  // Without its code there are no tooltips; labels and descriptions are in the page.
  import('./tooltip-host.ts').then(({ showTooltips }) => showTooltips()).catch(() => {})
}
