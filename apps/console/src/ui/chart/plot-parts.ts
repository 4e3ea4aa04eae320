import type UPlot from 'uplot'

export interface Plot {
  destroy: () => void
}

/** Redraws when the width or the colour scheme of the page changes. */
export function followScheme(host: HTMLElement, height: number, draw: () => UPlot): Plot {
  let chart = draw()
  const redraw = () => {
    chart.destroy()
    chart = draw()
  }
  const resized = new ResizeObserver(() => {
    if (host.clientWidth !== chart.width) chart.setSize({ width: host.clientWidth, height })
  })
  resized.observe(host)
  const scheme = matchMedia('(prefers-color-scheme: dark)')
  scheme.addEventListener('change', redraw)
  // The reader's own choice.
  const chosen = new MutationObserver(redraw)
  chosen.observe(document.documentElement, { attributeFilter: ['data-scheme'] })
  return {
    destroy() {
      resized.disconnect()
      chosen.disconnect()
      scheme.removeEventListener('change', redraw)
      chart.destroy()
    },
  }
}

/** Resolves a token in the element's colour scheme: a canvas does not support `light-dark()`. */
export function coloursOf(host: HTMLElement) {
  const probe = document.createElement('span')
  return (token: string) => {
    probe.style.color = `var(${token})`
    host.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  }
}
