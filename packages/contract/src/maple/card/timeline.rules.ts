import { sortedBy } from '../../page.rules.ts'

/**
 * The entries of an element's timeline. `event` is a change of its record, `device` one of its device
 * since it was attached; `operation` changes the card itself, `applet` is an installation, `template`
 * and `script` a run of one, `keys` a rotation.
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
