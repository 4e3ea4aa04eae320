import type { DeviceSessionEnd } from '@grove/contract/maple/connect/device-session.rules'
import type { ByeCode, FromDevice, Refused, StoredMessage } from '@grove/device-protocol/message'
import type { Begun } from './gateway.queries.ts'

// The machine decides and performs nothing: it is a pure function from a state and an event to the
// next state and the effects to run. The README of connect has a diagram.

/**
 * `opened`: no hello yet. `greeting`: the hello is being stored. `held`: welcomed, but nobody has
 * accepted the device. `online`: welcomed and accepted. `closed`: nothing more is sent.
 */
export type ConnectionState = 'opened' | 'greeting' | 'held' | 'online' | 'closed'

/**
 * `repeating`: client libraries resend what an earlier connection did not confirm, before or after
 * their program says hello. Messages that only concern that earlier connection are confirmed and
 * ignored.
 */
export type LinkKind = 'strict' | 'repeating'

/** `held`: not stored until the device is accepted. The last two are rejected for good. */
export type Outcome = 'done' | 'held' | 'tooLong' | 'unreadable'

/** What a link adds to a message. */
export interface Coming {
  /** Called once the message has been handled. */
  onTaken?: (outcome: Outcome) => void
  /** Marked as a retransmission. */
  isRepeated?: boolean
}

export type Hello = Extract<FromDevice, { t: 'hello' }>
export type Reply = Extract<FromDevice, { t: 'reply' | 'failed' }>

/** A message to store, or the number of a rejected one. */
export interface Kept {
  message: StoredMessage | Refused
  coming: Coming
  /** Confirmed once it is stored. */
  outcome: Outcome
  /** The command that it answers, even if the answer is rejected. */
  command: string | undefined
}

export interface Ending {
  readonly code: DeviceSessionEnd
  /** Logged. */
  readonly reason: string
}

export interface Goodbye extends Ending {
  readonly code: ByeCode
  /** The device may reconnect after this time plus a random part of the spread. */
  readonly waitMs: number
  readonly spreadMs: number
}

interface Greeting {
  readonly hello: Hello
  readonly coming: Coming
}

export type ConnectionEvent =
  // From the device.
  | ({ readonly type: 'hello' } & Greeting)
  /** A hello with a different boot than the first one. */
  | ({ readonly type: 'otherHello' } & Greeting)
  /** A hello that the client library resent. */
  | ({ readonly type: 'repeatedHello' } & Greeting)
  | { readonly type: 'message'; readonly kept: Kept }
  /** A message whose predecessors were lost in transit. */
  | { readonly type: 'messageAfterGap'; readonly kept: Kept }
  | { readonly type: 'elements'; readonly elements: readonly string[]; readonly coming: Coming }
  | { readonly type: 'reply'; readonly reply: Reply; readonly coming: Coming }
  /** A reply that no pending exchange expects. */
  | { readonly type: 'strayReply'; readonly coming: Coming }
  /** A heartbeat, or something that only concerns an earlier connection. */
  | { readonly type: 'aside'; readonly coming: Coming }
  // From the database.
  | ({ readonly type: 'accepted'; readonly begun: Begun } & Greeting)
  | ({ readonly type: 'notAccepted'; readonly begun: Begun } & Greeting)
  | { readonly type: 'stored'; readonly kept: Kept }
  /** Sent before hello by a device that is not accepted. */
  | { readonly type: 'notStored'; readonly kept: Kept }
  // From the gateway, the clock and the link.
  | { readonly type: 'helloOverdue' }
  /** There may be commands or a desired state for the device. */
  | { readonly type: 'work' }
  /** Ends the connection in any open state. */
  | { readonly type: 'end'; readonly goodbye: Goodbye }
  | { readonly type: 'linkClosed'; readonly reason: string }
  /** An exception: a bug in the server. */
  | { readonly type: 'fault'; readonly error: unknown }

export type ConnectionEffect =
  /** Stores the device as connected and stops the hello timeout. */
  | ({ readonly type: 'begin' } & Greeting)
  /** Registers the connection, which replaces an earlier one of the device. */
  | { readonly type: 'join'; readonly begun: Begun; readonly hello: Hello }
  | { readonly type: 'welcome' }
  /** Answers the program's hello that follows one its library resent. */
  | { readonly type: 'welcomeAgain'; readonly hello: Hello }
  | { readonly type: 'confirm'; readonly coming: Coming; readonly outcome: Outcome }
  /** Looks up commands and the desired state, and sends them. */
  | { readonly type: 'lookForWork' }
  /** Extends the hello timeout. */
  | { readonly type: 'wait' }
  | { readonly type: 'store'; readonly kept: Kept; readonly isEarly: boolean }
  | { readonly type: 'count'; readonly kept: Kept }
  | { readonly type: 'acknowledge'; readonly kept: Kept }
  | { readonly type: 'offer'; readonly elements: readonly string[] }
  | { readonly type: 'settle'; readonly reply: Reply }
  /** Frees its slot and fails pending exchanges. */
  | { readonly type: 'release'; readonly ending: Ending }
  /** Stores the device as disconnected. */
  | { readonly type: 'depart' }
  | { readonly type: 'bye'; readonly goodbye: Goodbye }
  /** Reports the exception and cuts the link. */
  | { readonly type: 'fail'; readonly error: unknown }

export type Transition = readonly [next: ConnectionState, ...effects: ConnectionEffect[]]

type EventType = ConnectionEvent['type']
type EventOf<E extends EventType> = Extract<ConnectionEvent, { type: E }>

// A missing cell is a type error.
type Row = {
  readonly [E in EventType]: (state: ConnectionState, event: EventOf<E>) => Transition
}
export type TransitionTable = { readonly [S in ConnectionState]: Row }

const soon = { waitMs: 0, spreadMs: 5000 }
const replaced = { code: 'replaced', waitMs: 60_000, spreadMs: 0 } as const

/** Ends a connection that violates the protocol. */
export const breach = (reason: string): Goodbye => ({
  code: 'protocol',
  reason,
  waitMs: 60_000,
  spreadMs: 5000,
})

const database = { waitMs: 5000, spreadMs: 5000 }

export const goodbyes = {
  tooEarly: breach('it did not wait for its welcome'),
  secondHello: breach('it said hello twice'),
  garbage: breach('it sent something else than a message'),
  strayReply: breach('it answered what nobody asked'),
  overflow: breach('it sends beyond its window'),
  forgottenBoot: breach('its boot was forgotten'),
  gap: { code: 'unavailable', reason: 'messages were lost on their way', ...soon },
  databaseFailed: { code: 'unavailable', reason: 'the database did not answer', ...database },
  streamAway: { code: 'unavailable', reason: 'NATS did not answer', ...database },
  streamFull: {
    code: 'unavailable',
    reason: 'the stream in NATS is full',
    waitMs: 30_000,
    spreadMs: 30_000,
  },
  stopping: { code: 'unavailable', reason: 'the server stops', ...soon },
  // Its program or the server may have been busy: it may come back soon.
  noHello: { code: 'silent', reason: 'it did not say hello', ...soon },
  silence: { code: 'silent', reason: 'it is silent', ...soon },
  unread: { code: 'slow', reason: 'it does not read', ...soon },
  slowElement: { code: 'slow', reason: 'its element took too long for a command', ...soon },
  gone: { code: 'changed', reason: 'the device is gone', ...soon },
  changed: { code: 'changed', reason: 'its secret, its certificate or its state changed', ...soon },
  restarted: { code: 'replaced', reason: 'it started again', ...soon },
  replacedHere: { ...replaced, reason: 'it connected again' },
  replacedElsewhere: { ...replaced, reason: 'it connected elsewhere' },
} as const satisfies Record<string, Goodbye>

type Cell<Event = unknown> = (state: ConnectionState, event: Event) => Transition

const confirmed = (coming: Coming, outcome: Outcome = 'done'): ConnectionEffect => ({
  type: 'confirm',
  coming,
  outcome,
})

// The slot is freed first: an exception in a later effect cannot leak it.
const leave = (
  state: ConnectionState,
  ending: Ending,
  ...last: readonly ConnectionEffect[]
): Transition => [
  'closed',
  { type: 'release', ending },
  ...(state === 'held' || state === 'online' ? [{ type: 'depart' } as const] : []),
  ...last,
]

const end: Cell<{ goodbye: Goodbye }> = (state, { goodbye }) =>
  leave(state, goodbye, { type: 'bye', goodbye })

const endWith =
  (goodbye: Goodbye): Cell =>
  (state) =>
    end(state, { goodbye })

const stay: Cell = (state) => [state]

const confirm: Cell<{ coming: Coming }> = (state, { coming }) => [state, confirmed(coming)]

// Neither stored nor acknowledged: the device keeps the message until it is accepted.
const confirmHeld: Cell<{ kept: Kept }> = (state, { kept }) => [
  state,
  confirmed(kept.coming, 'held'),
]

const greet: Cell<Greeting> = (_, { hello, coming }) => [
  'greeting',
  { type: 'begin', hello, coming },
]

const join = ({ begun, hello, coming }: Greeting & { begun: Begun }): ConnectionEffect[] => [
  { type: 'join', begun, hello },
  { type: 'welcome' },
  confirmed(coming),
]

/** Nothing more is sent; late messages and answers are ignored. */
const closed: Row = {
  hello: stay,
  otherHello: stay,
  repeatedHello: stay,
  message: stay,
  messageAfterGap: stay,
  elements: stay,
  reply: stay,
  strayReply: stay,
  aside: stay,
  // The connection ended while the device was being stored as connected.
  accepted: () => ['closed', { type: 'depart' }],
  notAccepted: () => ['closed', { type: 'depart' }],
  stored: stay,
  notStored: stay,
  helloOverdue: stay,
  work: stay,
  end: stay,
  linkClosed: stay,
  fault: (_, { error }) => ['closed', { type: 'fail', error }],
}

/** The defaults of every open state. */
const open: Row = {
  hello: endWith(goodbyes.secondHello),
  otherHello: endWith(goodbyes.secondHello),
  repeatedHello: confirm,
  message: endWith(goodbyes.tooEarly),
  messageAfterGap: endWith(goodbyes.tooEarly),
  elements: endWith(goodbyes.tooEarly),
  reply: endWith(goodbyes.tooEarly),
  strayReply: endWith(goodbyes.tooEarly),
  aside: endWith(goodbyes.tooEarly),
  // Only `greeting` expects the first two, and only states that store expect the third.
  accepted: stay,
  notAccepted: stay,
  stored: stay,
  notStored: confirmHeld,
  helloOverdue: stay,
  work: stay,
  end,
  linkClosed: (state, { reason }) => leave(state, { code: 'left', reason }),
  fault: (state, { error }) =>
    leave(state, { code: 'unavailable', reason: 'the server failed' }, { type: 'fail', error }),
}

const welcome: Row = {
  ...open,
  elements: (state, { elements, coming }) => [
    state,
    { type: 'offer', elements },
    confirmed(coming),
  ],
  reply: (state, { reply, coming }) => [state, { type: 'settle', reply }, confirmed(coming)],
  strayReply: endWith(goodbyes.strayReply),
  aside: confirm,
  stored: (state, { kept }) => [
    state,
    { type: 'count', kept },
    { type: 'acknowledge', kept },
    confirmed(kept.coming, kept.outcome),
  ],
}

const strict: TransitionTable = {
  opened: {
    ...open,
    hello: greet,
    otherHello: greet,
    repeatedHello: greet,
    helloOverdue: endWith(goodbyes.noHello),
  },
  greeting: {
    ...open,
    accepted: (_, event) => ['online', ...join(event), { type: 'lookForWork' }],
    notAccepted: (_, event) => ['held', ...join(event)],
  },
  held: { ...welcome, message: confirmHeld, messageAfterGap: confirmHeld },
  online: {
    ...welcome,
    message: (state, { kept }) => [state, { type: 'store', kept, isEarly: false }],
    // `ack` would confirm the lost ones too; after the next hello the device resends them.
    messageAfterGap: endWith(goodbyes.gap),
    work: (state) => [state, { type: 'lookForWork' }],
  },
  closed,
}

const storeEarly: Cell<{ kept: Kept }> = (state, { kept }) => [
  state,
  { type: 'wait' },
  { type: 'store', kept, isEarly: true },
]

const early = {
  message: storeEarly,
  messageAfterGap: storeEarly,
  elements: confirm,
  reply: confirm,
  strayReply: confirm,
  aside: confirm,
  // Not acknowledged: the welcome says how much is stored.
  stored: (state, { kept }) => [
    state,
    { type: 'count', kept },
    confirmed(kept.coming, kept.outcome),
  ],
} satisfies Partial<Row>

const again = {
  hello: (state, { hello, coming }) => [state, { type: 'welcomeAgain', hello }, confirmed(coming)],
  otherHello: endWith(goodbyes.restarted),
  strayReply: confirm,
} satisfies Partial<Row>

/** A combination that cannot occur ends the connection like its neighbours, or changes nothing. */
export const transitions: Readonly<Record<LinkKind, TransitionTable>> = {
  strict,
  repeating: {
    opened: { ...strict.opened, ...early },
    greeting: { ...strict.greeting, ...early },
    held: { ...strict.held, ...again },
    online: { ...strict.online, ...again },
    closed,
  },
}

/** On a repeating link, messages that follow a hello wait for the welcome. */
export const mayRead = (kind: LinkKind, state: ConnectionState): boolean =>
  kind === 'strict' || state !== 'greeting'

/** The next state and the effects to run; total over states and events, and pure. */
export function transition(
  kind: LinkKind,
  state: ConnectionState,
  event: ConnectionEvent,
): Transition {
  // The cell accepts exactly this event; the compiler cannot correlate the two unions.
  const cell = transitions[kind][state][event.type] as Cell<ConnectionEvent>
  return cell(state, event)
}
