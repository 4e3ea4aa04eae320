import type { Event } from '@grove/contract/core/event'

/**
 * The events under a former CPLC, without the one that says what came after it: the element has that
 * one under its new CPLC too.
 */
export const eventsBefore = (events: readonly Event[]): Event[] =>
  events.filter(({ action, subject, after }) => {
    const next: unknown = Object(after).cplc
    return action !== 'element.replace' || typeof next !== 'string' || next === subject
  })
