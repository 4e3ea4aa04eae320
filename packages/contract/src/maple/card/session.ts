import { Type } from 'typebox'
import { defineCalls, listsBy, scoped } from '../../call.ts'
import { Nullable, Right, Strict, Timestamp, Uuid } from '../../shapes.ts'
import { CplcText } from '../base/cplc.ts'
import { KeyMismatch } from './key.ts'
import { channelProtocols } from './scp11.rules.ts'
import { sessionCommandKinds } from '@grove/secure-element/host/command-kinds'
import {
  exchangeOutcomes,
  exchangeSearchLimit,
  exchangeSorting,
  exportFormats,
  maxCommandTextLength,
  redactions,
  securityLevelTexts,
  sessionEnds,
  sessionFailures,
  sessionPurposes,
  sessionSorting,
  sessionStates,
  sessionTransports,
  storedSessionStates,
  traceForms,
} from './session.rules.ts'

const Level = Type.Enum(securityLevelTexts, {
  description: 'P1 of EXTERNAL AUTHENTICATE: what protects commands and replies',
})

const Channel = Type.Object({
  protocol: Type.Enum(channelProtocols),
  /** Parameter `i` in hex. */
  implementation: Type.String(),
  level: Level,
  keyVersion: Type.Integer(),
  /** Maximum data of one command. */
  longestData: Type.Integer(),
})

const ElementSession = Type.Object({
  id: Uuid,
  cplc: Type.String(),
  /** The device that had the element when the session was opened. */
  deviceId: Nullable(Type.String()),
  /** Its name; the id where it belongs to another service provider now. */
  deviceName: Nullable(Type.String()),
  /** The service provider whose session it is. */
  serviceId: Nullable(Type.String()),
  state: Type.Enum(sessionStates),
  purpose: Type.Enum(sessionPurposes),
  transport: Type.Enum(sessionTransports),
  openedBy: Nullable(Type.String()),
  /** Who may send commands; null once it ended, and for a session of the platform itself. */
  heldBy: Nullable(Type.String()),
  /** The secure channel of the basic logical channel. */
  channel: Nullable(Channel),
  /** The session whose commands this one repeats. */
  replayOf: Nullable(Uuid),
  exchanges: Type.Integer(),
  failed: Type.Integer(),
  /** The number of the first exchange that failed. */
  firstError: Nullable(Type.Integer()),
  failure: Nullable(
    Type.Object({
      code: Type.Enum(sessionFailures),
      message: Type.String(),
      /** For `wrong_keys`: which keys the card has instead, judging by its greeting. */
      mismatch: Type.Optional(KeyMismatch),
    }),
  ),
  endReason: Nullable(Type.Enum(sessionEnds)),
  openedAt: Timestamp,
  endedAt: Nullable(Timestamp),
  rights: Type.Object({
    /** Send commands, open a channel. */
    run: Right('session_ended', 'session_held', 'forbidden'),
    end: Right('session_ended', 'forbidden'),
    takeOver: Right('session_ended', 'already_yours', 'session_runs_itself', 'forbidden'),
  }),
})
export type ElementSession = Type.Static<typeof ElementSession>

/** The first byte, and the end (exclusive). */
const Range = Type.Tuple([Type.Integer(), Type.Integer()])

export const Exchange = Type.Object({
  /** From 1, without gaps. */
  seq: Type.Integer(),
  at: Timestamp,
  outcome: Type.Enum(exchangeOutcomes),
  /** The command of a person or program that it belongs to. */
  step: Nullable(Uuid),
  /** The plain command, in hex; null in all but the first fragment of a long command. */
  command: Nullable(Type.String()),
  /** The reply without protection, with its status word; null in all but the last piece. */
  reply: Nullable(Type.String()),
  /** What went over the transport, where that is something else. */
  wrapped: Nullable(
    Type.Object({ command: Nullable(Type.String()), reply: Nullable(Type.String()) }),
  ),
  /** Four hex digits. */
  statusWord: Nullable(Type.String()),
  /** Of the transport, to the microsecond. */
  latencyMs: Nullable(Type.Number()),
  isFailed: Type.Boolean(),
  /** Bytes of the command that are zero here and were never stored. */
  redacted: Nullable(
    Type.Object({
      reason: Type.Enum(redactions),
      command: Nullable(Range),
      wrapped: Nullable(Range),
    }),
  ),
  /** Why the reply was refused by the secure channel. */
  problem: Nullable(Type.String()),
})
export type Exchange = Type.Static<typeof Exchange>

/** The result of a command: its exchanges, of which the last has the outcome. */
const Ran = Type.Object({
  /** `refused`: the command was not sent; `unknown`: whether the card ran it is unknown. */
  state: Type.Enum(['done', 'refused', 'unknown']),
  problem: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  items: Type.Array(Exchange),
})
export type RanCommand = Type.Static<typeof Ran>

const ofCommand = {
  /** The same id never sends a command twice: its result is answered again. */
  id: Type.Optional(Uuid),
}

const LogicalChannel = Type.Integer({
  minimum: 0,
  maximum: 3,
  description:
    'The logical channel of the card, by default 0, the basic one. MANAGE CHANNEL opens the others',
})

const runs = {
  response: Ran,
  problems: ['not_found', 'session_ended', 'session_held', 'already_exists', 'edit_conflict'],
} as const

const Difference = Type.Object({
  seq: Type.Integer(),
  command: Type.String(),
  expected: Nullable(Type.String()),
  found: Nullable(Type.String()),
})

const hexText = Type.String({
  minLength: 1,
  maxLength: maxCommandTextLength,
  examples: ['80CA9F7F00'],
})

const access = scoped('session.read', 'session.run')

export const sessionCalls = defineCalls('maple', access, {
  'GET /api/maple/sessions/se': {
    summary: 'List sessions of secure elements, the newest first',
    ...listsBy(ElementSession, sessionSorting, {
      state: Type.Enum(storedSessionStates),
      cplc: CplcText,
      device: Type.String({ minLength: 1, maxLength: 100 }),
      openedBy: Type.String({ minLength: 1, maxLength: 200 }),
      from: Type.String({ format: 'date-time', description: 'Opened at or after' }),
      to: Type.String({ format: 'date-time', description: 'Opened before' }),
    }),
  },
  'POST /api/maple/sessions/se': {
    summary: 'Open a session to a secure element',
    description:
      'An element has one session at a time. `lease_held` names the session that has it; `takeOver` ends that one first.',
    body: Strict({ cplc: CplcText, takeOver: Type.Optional(Type.Boolean()) }),
    response: ElementSession,
    status: 201,
    problems: ['not_found', 'lease_held', 'transport_missing', 'limit_reached'],
  },
  'GET /api/maple/sessions/se/{id}': { summary: 'Read a session', response: ElementSession },
  'POST /api/maple/sessions/se/{id}/channel': {
    summary: 'Open a secure channel in a session',
    description:
      'The card chooses the keys unless `keyVersion` says which. With credentials the channel is one of SCP11, whose level is always 33; a card that is not believed is not sent anything more. A card cryptogram that does not fit blocks the element: nothing tries again until somebody clears it.',
    body: Strict({
      ...ofCommand,
      level: Level,
      keyVersion: Type.Optional(Type.Integer({ minimum: 1, maximum: 127 })),
      /**
       * The id of credentials for SCP11; null for the card's own keys, whatever is chosen for the
       * element.
       */
      credential: Type.Optional(Nullable(Uuid)),
      logicalChannel: Type.Optional(LogicalChannel),
    }),
    ...runs,
    problems: [...runs.problems, 'element_blocked'],
  },
  'POST /api/maple/sessions/se/{id}/command': {
    summary: 'Send a command of a kind',
    description:
      'Through the secure channel where one is open. A session sends what reads and what can be undone. Keys, the state of the card and its end are for the calls of its element: MplPutKey is always refused here.',
    body: Strict({
      ...ofCommand,
      kind: Type.Unsafe<(typeof sessionCommandKinds)[number]>(Type.Enum(sessionCommandKinds)),
      values: Type.Optional(
        Type.Record(Type.String({ maxLength: 40 }), Type.Unknown(), { examples: [{}] }),
      ),
      logicalChannel: Type.Optional(LogicalChannel),
    }),
    ...runs,
    problems: [...runs.problems, 'keys_need_rotation', 'command_reserved'],
  },
  'POST /api/maple/sessions/se/{id}/raw': {
    summary: 'Send bytes',
    description:
      'A command APDU in hex. It goes through the secure channel where one is open on the logical channel of its class byte, unless `isPlain`; `isSecret` keeps its data out of the log. What a session does not send as a command it does not send as bytes either, and bytes that cannot be read are refused.',
    access: { right: 'session.raw', isScoped: true },
    body: Strict({
      ...ofCommand,
      command: hexText,
      isPlain: Type.Optional(Type.Boolean()),
      isSecret: Type.Optional(Type.Boolean()),
    }),
    ...runs,
    problems: [...runs.problems, 'keys_need_rotation', 'command_reserved'],
  },
  'POST /api/maple/sessions/se/{id}/takeOver': {
    summary: 'Take over a session from the person who holds it',
    response: ElementSession,
    problems: ['session_ended', 'already_yours', 'session_runs_itself'],
  },
  'POST /api/maple/sessions/se/{id}/end': {
    summary: 'End a session',
    response: ElementSession,
    problems: ['session_ended'],
  },
  'GET /api/maple/sessions/se/{id}/exchange': {
    summary: 'List the exchanges of a session',
    description: `A search looks at ${exchangeSearchLimit} exchanges a page. \`from\` begins a page at any exchange.`,
    ...listsBy(Exchange, exchangeSorting, {
      from: Type.Integer({ minimum: 1, description: 'The number of the first exchange' }),
      failed: Type.Boolean({ description: 'Only exchanges that failed' }),
      ins: Type.String({
        pattern: '^[0-9A-Fa-f]{2}$',
        description: 'The instruction byte of the command',
      }),
      q: Type.String({
        pattern: '^([0-9A-Fa-f]{2}){1,50}$',
        description: 'Bytes in hex, in the command or the reply',
      }),
    }),
  },
  'GET /api/maple/sessions/se/{id}/stream': {
    summary: 'Watch a session',
    description:
      'Server-sent events: `exchange` with its number as id, `waiting` for a command without a reply, `session` when something else changes, `end` as the last. `Last-Event-ID` or `after` continues behind an exchange.',
    query: Strict({ after: Type.Optional(Type.Integer({ minimum: 0 })) }),
    response: Type.Any(),
    produces: 'text/event-stream',
    problems: ['limit_reached'],
  },
  'GET /api/maple/sessions/se/{id}/export': {
    summary: 'Export the log of a session',
    description:
      '`script` is one command a line, as opensc-tool and GPShell read it; commands with redacted bytes are comments.',
    query: Strict({ format: Type.Enum(exportFormats) }),
    response: Type.Any(),
    produces: 'text/plain',
  },
  'GET /api/maple/sessions/se/{id}/pcap': {
    summary: 'Save the trace of a session for Wireshark',
    description:
      'A pcap file, `session-<id>.pcap`: GSMTAP of a SIM, one packet for a command with its reply. `plain` (the default) has them without the protection of the secure channel, `sent` as they went over the transport, piece by piece. Redacted bytes are zero, as in the log. A packet holds 64 KB; what is longer is cut off.',
    query: Strict({ form: Type.Optional(Type.Enum(traceForms)) }),
    response: Type.Any(),
    produces: 'application/vnd.tcpdump.pcap',
  },
  'POST /api/maple/sessions/se/{id}/replay': {
    summary: 'Repeat a session on a software card',
    description:
      'A new session sends the same commands and compares the status words. Commands with redacted bytes are left out.',
    body: Strict({ cplc: CplcText }),
    response: Type.Object({
      session: ElementSession,
      compared: Type.Integer(),
      /** Commands that could not be repeated. */
      skipped: Type.Integer(),
      /** The first exchange with another status word. */
      difference: Nullable(Difference),
    }),
    problems: [
      'lease_held',
      'transport_missing',
      'limit_reached',
      'element_blocked',
      'element_terminated',
      'replay_needs_software_card',
    ],
  },
})
