import { sortedBy } from '../../page.rules.ts'

/** A draft was never deployed. `failing`: the last deliveries failed. Only people disable a handler. */
export const handlerStates = ['draft', 'active', 'failing', 'disabled'] as const
export type HandlerState = (typeof handlerStates)[number]

/** A handler is failing after this many consecutive failed deliveries. */
export const failingAfter = 3

export const triggerTypes = ['event', 'schedule', 'webhook'] as const
export type TriggerType = (typeof triggerTypes)[number]

/** Events that a handler can subscribe to. Accounts, roles, keys and approvals are excluded. */
export const handlerEvents = [
  'device.online',
  'device.offline',
  'device.message',
  'device.create',
  'device.update',
  'device.retire',
  'device.claim',
  'element.attach',
  'element.detach',
  'element.create',
  'element.block',
  'element.unblock',
  'session.open',
  'session.close',
  /** A session that closed because of a failure. */
  'session.fail',
  'applet.install',
  'applet.upgrade',
  'applet.uninstall',
  'applet.release',
  'applet.revoke',
  'rollout.start',
  'rollout.pause',
  'rollout.resume',
  'rollout.finish',
  'rollout.stop',
] as const
export type HandlerEvent = (typeof handlerEvents)[number]

export const hookProofs = ['token', 'hmac'] as const
export type HookProof = (typeof hookProofs)[number]

export const handlerNameLimit = 100
/** Characters of the code. */
export const maxHandlerCodeLength = 64 * 1024
export const maxHandlers = 200
export const maxHosts = 20
export const maxMatches = 10
export const maxMessageKinds = 20
/** The number of versions a page shows, newest first. */
export const shownVersions = 50

/** A name such as `api.example.com`, or `*.example.com` for every name below. */
export const hostPattern = String.raw`^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`
export const maxHostLength = 253

/** A field of the event, such as `data.temperature` or `after.state`. */
export const matchPathPattern = String.raw`^[A-Za-z_][\w-]*(\.[\w-]+){0,7}$`

export const secretNamePattern = String.raw`^[A-Za-z_]\w{0,39}$`
export const maxHandlerSecrets = 20
export const maxHandlerSecretLength = 4096

/** What one attempt may use, and how often a delivery is tried. */
export const handlerLimits = {
  milliseconds: { least: 100, most: 60_000, ordinary: 10_000 },
  calls: { least: 0, most: 50, ordinary: 10 },
  kilobytes: { least: 1, most: 4096, ordinary: 1024 },
  attempts: { least: 1, most: 20, ordinary: 8 },
} as const
export type HandlerLimits = Record<keyof typeof handlerLimits, number>

/** The delay before the second attempt, doubled for each further one, and its maximum; in seconds. */
export const retryWait = { first: 10, most: 3600 }

/** `queued` waits for its first attempt or the next one; `dead` was tried as often as it may be. */
export const handlerRunStates = ['queued', 'running', 'succeeded', 'dead'] as const
export type HandlerRunState = (typeof handlerRunStates)[number]

export const handlerRunSources = ['event', 'schedule', 'webhook', 'test'] as const

/** What one request to a webhook may have, and a day of an event for a test. */
export const maxHookBodyLength = 64 * 1024
/** Requests to one webhook in a minute, in each process. */
export const hooksPerMinute = 600
/** With this many deliveries waiting, further events are dropped and webhooks are refused. */
export const maxWaiting = 10_000
/** Deliveries that one request sends again. */
export const maxResent = 1000
/** The newest runs that a watcher of a handler follows. */
export const watchedRuns = 20
/** Retention of finished deliveries and their logs, in days. */
export const keptRunDays = 30
/** Lines and characters of the log of one attempt. */
export const maxLogLines = 500
export const maxLogLineLength = 2000

export const handlerSorting = sortedBy(['createdAt', 'name'], 'createdAt', 'desc')

export const handlerRunSorting = sortedBy(['createdAt'], 'createdAt', 'desc')
