import { sortedBy } from '../../page.rules.ts'

/**
 * What the timeline of an element is made of. `event` is a change of its record, `device` one of the
 * device that has it, since it came into that; `operation` is done to the card itself, `applet` is an
 * installation, `template` and `script` a run of one, `keys` a rotation.
 */
export const timelineKinds = [
  'event',
  'device',
  'session',
  'operation',
  'applet',
  'template',
  'script',
  'keys',
  'export',
  'approval',
] as const
export type TimelineKind = (typeof timelineKinds)[number]

export const timelineSorting = sortedBy(['at'], 'at', 'desc')
