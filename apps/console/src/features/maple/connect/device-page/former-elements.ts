import type { Event } from '@grove/contract/core/event'

/** The number of former elements looked up; a device seldom had more. */
const most = 16

/** The elements that a device's events name and that it no longer has, most recently removed first. */
export function formerElements(events: readonly Event[], present: readonly string[]): string[] {
  const named = events.flatMap(({ before, after }) => [...cplcsOf(before), ...cplcsOf(after)])
  return [...new Set(named)].filter((cplc) => !present.includes(cplc)).slice(0, most)
}

/** An import names elements only by their CPLCs. */
function cplcsOf(side: unknown): string[] {
  const elements: unknown = Object(side).elements
  if (!Array.isArray(elements)) return []
  return elements.flatMap((element: unknown) => {
    const cplc: unknown = typeof element === 'string' ? element : Object(element).cplc
    return typeof cplc === 'string' ? [cplc] : []
  })
}

/** Of an element's events, newest first, those from the time when a device had it. */
export function eventsInDevice(events: readonly Event[], deviceId: string): Event[] {
  let isInside = false
  return events.filter(({ action, before, after }) => {
    const from: unknown = Object(before).deviceId
    const to: unknown = Object(after).deviceId
    // Going back in time, a device has the element from its detachment to its attachment.
    if (action === 'element.detach') isInside = from === deviceId
    const isShown = isInside || (action === 'element.attach' && to === deviceId)
    if (action === 'element.attach') isInside = false
    return isShown
  })
}
