import type { DeviceSessionEnd } from '@grove/contract/maple/connect/device-session.rules'
import type { ByeCode, FromDevice, Refused, StoredMessage } from '@grove/device-protocol/message'
import type { Begun } from './gateway.queries.ts'

// The machine decides and performs nothing: it is a pure function from a state and an event to the
// next state and the effects to run. The README of connect has the picture.

/**
 * `opened`: it has not said hello. `greeting`: its hello is being stored. `held`: it is welcome, but
 * people have not accepted the device. `closed`: it hears nothing more.
 */
export type ConnectionState = 'opened' | 'greeting' | 'held' | 'online' | 'closed'

/**
 * `repeating`: libraries send again by themselves what an earlier connection did not confirm, before
 * their program says hello and behind it. What only that connection concerned is confirmed and left.
 */
export type LinkKind = 'strict' | 'repeating'

/** `held`: it is not stored before people accept the device. The last two are refused for good. */
export type Outcome = 'done' | 'held' | 'tooLong' | 'unreadable'

/** What came with a message. */
export interface Coming {
  /** Hears that the message was dealt with. */
  onTaken?: (outcome: Outcome) => void
  /** It says that it was sent before. */
  isRepeated?: boolean
}

export type Hello = Extract<FromDevice, { t: 'hello' }>
export type Reply = Extract<FromDevice, { t: 'reply' | 'failed' }>

/** A message that is stored, or the place of one that is refused. */
export interface Kept {
  message: StoredMessage | Refused
  coming: Coming
  /** What is confirmed when it is stored. */
  outcome: Outcome
  /** The command that it answers, also where the answer is refused. */
  command: string | undefined
}

export interface Ending {
  readonly code: DeviceSessionEnd
  /** For the log. */
  readonly reason: string
}

export interface Goodbye extends Ending {
  readonly code: ByeCode
  /** The device may come back after so long, and a random part of the spread. */
  readonly waitMs: number
  readonly spreadMs: number
}

interface Greeting {
  readonly hello: Hello
  readonly coming: Coming
}

export type ConnectionEvent =
  // What the device says.
  | ({ readonly type: 'hello' } & Greeting)
  /** A hello with another boot than the first one. */
  | ({ readonly type: 'otherHello' } & Greeting)
  /** A hello that its library sent again. */
  | ({ readonly type: 'repeatedHello' } & Greeting)
  | { readonly type: 'message'; readonly kept: Kept }
  /** A message whose predecessors were lost on their way. */
  | { readonly type: 'messageAfterGap'; readonly kept: Kept }
  | { readonly type: 'elements'; readonly elements: readonly string[]; readonly coming: Coming }
  | { readonly type: 'reply'; readonly reply: Reply; readonly coming: Coming }
  /** A reply to no exchange that waits. */
  | { readonly type: 'strayReply'; readonly coming: Coming }
  /** A heartbeat, or what concerned an earlier connection alone. */
  | { readonly type: 'aside'; readonly coming: Coming }
  // What the database answers.
  | ({ readonly type: 'accepted'; readonly begun: Begun } & Greeting)
  | ({ readonly type: 'notAccepted'; readonly begun: Begun } & Greeting)
  | { readonly type: 'stored'; readonly kept: Kept }
  /** It came before hello, of a device that people have not accepted. */
  | { readonly type: 'notStored'; readonly kept: Kept }
  // What else happens.
  | { readonly type: 'helloOverdue' }
  /** People want something of the device. */
  | { readonly type: 'work' }
  /** Whatever ends it alike in every open state. */
  | { readonly type: 'end'; readonly goodbye: Goodbye }
  | { readonly type: 'linkClosed'; readonly reason: string }
  /** Something threw, which is a fault of ours. */
  | { readonly type: 'fault'; readonly error: unknown }

export type ConnectionEffect =
  /** Stores the device as connected; from now on no hello is due. */
  | ({ readonly type: 'begin' } & Greeting)
  /** The device is here now; an earlier connection of it ends. */
  | { readonly type: 'join'; readonly begun: Begun; readonly hello: Hello }
  | { readonly type: 'welcome' }
  /** Answers the hello of a program behind the one that its library sent again. */
  | { readonly type: 'welcomeAgain'; readonly hello: Hello }
  | { readonly type: 'confirm'; readonly coming: Coming; readonly outcome: Outcome }
  /** Sends what people want of the device. */
  | { readonly type: 'lookForWork' }
  /** Its hello is due later. */
  | { readonly type: 'wait' }
  | { readonly type: 'store'; readonly kept: Kept; readonly isEarly: boolean }
  | { readonly type: 'count'; readonly kept: Kept }
  | { readonly type: 'acknowledge'; readonly kept: Kept }
  | { readonly type: 'offer'; readonly elements: readonly string[] }
  | { readonly type: 'settle'; readonly reply: Reply }
  /** Gives back its place; exchanges that wait are lost. */
  | { readonly type: 'release'; readonly ending: Ending }
  /** Stores that the device left. */
  | { readonly type: 'depart' }
  | { readonly type: 'bye'; readonly goodbye: Goodbye }
  /** Reports a fault, and ends the link without a word. */
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

/** Of a device that broke the protocol. */
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
  stopping: { code: 'unavailable', reason: 'the server stops', ...soon },
  // Where its program or we were busy: it may come back soon.
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

// Its place comes first: whatever throws behind it, no place is lost.
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

// Neither stored nor acknowledged: the device keeps it until people have accepted the device.
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

/** It hears nothing more, and what it says or the database answers changes nothing. */
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
  // It was stored as connected when it had ended already.
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

/** What every open state does, unless it says otherwise. */
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
  // Only `greeting` waits for the first two, and only what was stored is answered.
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
    // `ack` would say that those between are stored; after the next hello they come again.
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
  // The welcome says how far all is stored.
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

/** A cell that can never be used does what its row does with its like, or nothing. */
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

/** What comes behind a hello waits for its welcome, where the link does not end for it. */
export const mayRead = (kind: LinkKind, state: ConnectionState): boolean =>
  kind === 'strict' || state !== 'greeting'

/** The next state and the effects to run; total over states and events, and pure. */
export function transition(
  kind: LinkKind,
  state: ConnectionState,
  event: ConnectionEvent,
): Transition {
  // The cell takes exactly this event; the compiler cannot follow the union.
  const cell = transitions[kind][state][event.type] as Cell<ConnectionEvent>
  return cell(state, event)
}
