import { Type } from 'typebox'
import { defineCalls, listsBy } from '../../call.ts'
import { Nullable, Strict, Timestamp, Uuid } from '../../shapes.ts'
import { DeviceMessage } from './device-connection.ts'
import {
  deviceExportFormats,
  deviceMessageSorting,
  deviceSessionEnds,
  deviceSessionSorting,
  deviceSessionStates,
  messageKinds,
  messageSearchLimit,
} from './device-session.rules.ts'

const DeviceSession = Type.Object({
  id: Uuid,
  deviceId: Type.String(),
  deviceName: Type.String(),
  serviceId: Nullable(Type.String()),
  state: Type.Enum(deviceSessionStates),
  endReason: Nullable(Type.Enum(deviceSessionEnds)),
  protocol: Type.String(),
  ip: Type.String(),
  boot: Type.String(),
  agent: Nullable(Type.String()),
  firmware: Nullable(Type.String()),
  openedAt: Timestamp,
  endedAt: Nullable(Timestamp),
  /** When the device was last heard, to the minute; null for a session that ended. */
  seenAt: Nullable(Timestamp),
  /** Of a connected device, up to a minute ago. */
  messages: Type.Integer(),
})
export type DeviceSession = Type.Static<typeof DeviceSession>

const access = { right: 'session.read', isScoped: true } as const

export const deviceSessionCalls = defineCalls('maple', access, {
  'GET /api/maple/sessions/device': {
    summary: 'List connections of devices, the newest first',
    ...listsBy(DeviceSession, deviceSessionSorting, {
      state: Type.Enum(deviceSessionStates),
      device: Type.String({ minLength: 1, maxLength: 100 }),
      from: Type.String({ format: 'date-time', description: 'Opened at or after' }),
      to: Type.String({ format: 'date-time', description: 'Opened before' }),
    }),
  },
  'GET /api/maple/sessions/device/{id}': {
    summary: 'Read a connection of a device',
    response: DeviceSession,
  },
  'GET /api/maple/sessions/device/{id}/message': {
    summary: 'List the messages of a connection',
    description: `What the device said, and what was sent to it (\`command\`, \`desired\`), in one order. A filter looks at ${messageSearchLimit} messages a page. \`before\` begins a page anywhere.`,
    ...listsBy(DeviceMessage, deviceMessageSorting, {
      kind: Type.Enum(messageKinds),
      before: Type.Integer({ minimum: 1, description: 'The id behind the last message' }),
    }),
  },
  'GET /api/maple/sessions/device/{id}/stream': {
    summary: 'Watch a connection of a device',
    description:
      'Server-sent events: `message` with its number as id, `decoding` when a handler has decoded one, `session`, `command` and `twin` when these change, `end` as the last. `Last-Event-ID` or `after` continues behind a message.',
    query: Strict({
      after: Type.Optional(Type.Integer({ minimum: 0 })),
      waiting: Type.Optional(
        Type.Integer({
          minimum: 1,
          description: 'The first message that is known as waiting for its handler',
        }),
      ),
    }),
    response: Type.Any(),
    produces: 'text/event-stream',
  },
  'GET /api/maple/sessions/device/{id}/export': {
    summary: 'Export the messages of a connection',
    query: Strict({ format: Type.Enum(deviceExportFormats) }),
    response: Type.Any(),
    produces: 'text/plain',
  },
})
