import type { Event } from '@grove/contract/core/event'

/** So many elements that left are asked about; a device seldom had more. */
const most = 16

/** The elements that the events of a device name and that it no longer has, the last to leave first. */
export function formerElements(events: readonly Event[], present: readonly string[]): string[] {
  const named = events.flatMap(({ before, after }) => [...cplcsOf(before), ...cplcsOf(after)])
  return [...new Set(named)].filter((cplc) => !present.includes(cplc)).slice(0, most)
}

/** An import names elements by their CPLCs alone. */
function cplcsOf(side: unknown): string[] {
  const elements: unknown = Object(side).elements
  if (!Array.isArray(elements)) return []
  return elements.flatMap((element: unknown) => {
    const cplc: unknown = typeof element === 'string' ? element : Object(element).cplc
    return typeof cplc === 'string' ? [cplc] : []
  })
}

/** Of the events of an element, the newest first, those that happened while a device had it. */
export function eventsInDevice(events: readonly Event[], deviceId: string): Event[] {
  let isInside = false
  return events.filter(({ action, before, after }) => {
    const from: unknown = Object(before).deviceId
    const to: unknown = Object(after).deviceId
    // Going back in time, a device has the element from when it was detached to when it was attached.
    if (action === 'element.detach') isInside = from === deviceId
    const isShown = isInside || (action === 'element.attach' && to === deviceId)
    if (action === 'element.attach') isInside = false
    return isShown
  })
}
