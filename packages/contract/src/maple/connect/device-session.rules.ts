import { sortedBy } from '../../page.rules.ts'

/**
 * `active` while the device is connected. `closed`: it left, or its connection was ended in order.
 * `failed`: it broke the protocol or did not read. `expired`: nothing was heard of it, or of its server.
 */
export const deviceSessionStates = ['active', 'closed', 'failed', 'expired'] as const
export type DeviceSessionState = (typeof deviceSessionStates)[number]

/** Why a connection ended. */
export const deviceSessionEnds = [
  'left',
  'replaced',
  'changed',
  'protocol',
  'silent',
  'slow',
  'unavailable',
  'lost',
] as const
export type DeviceSessionEnd = (typeof deviceSessionEnds)[number]

/** What went out to a device. */
export const sentKinds = ['command', 'desired'] as const
export type SentKind = (typeof sentKinds)[number]

export const messageKinds = [
  'telemetry',
  'event',
  'reported',
  'result',
  'bytes',
  ...sentKinds,
] as const
export type MessageKind = (typeof messageKinds)[number]

export const deviceSessionSorting = sortedBy(['openedAt'], 'openedAt', 'desc')

export const deviceMessageSorting = sortedBy(['id'], 'id', 'asc')

/** Messages that a filter reads per page. */
export const messageSearchLimit = 5000

export const deviceExportFormats = ['text', 'json'] as const
export type DeviceExportFormat = (typeof deviceExportFormats)[number]
