import { Type } from 'typebox'
import { defineCalls, lists, scoped } from '../../call.ts'
import { ListQuery, Nullable, Right, Strict, Timestamp, Uuid } from '../../shapes.ts'
import {
  commandHours,
  deviceCommandSorting,
  deviceCommandStates,
  maxCommandHours,
} from './device-command.rules.ts'
import { commandNamePattern } from '../base/command-name.rules.ts'
import { deviceIdPattern } from '../fleet/device.rules.ts'

const DeviceId = Type.String({ pattern: deviceIdPattern })

const DeviceCommand = Type.Object({
  id: Uuid,
  deviceId: Type.String(),
  name: Type.String(),
  /** The data of the command. */
  data: Type.Unknown(),
  /** The encoding by its product's handler, which the device gets instead of `data`. */
  encoded: Nullable(
    Type.Object({
      bytes: Type.String({ description: 'In base64' }),
      port: Type.Optional(Type.Integer()),
      topic: Type.Optional(Type.String()),
    }),
  ),
  state: Type.Enum(deviceCommandStates),
  /** The device's answer; null without one. */
  result: Type.Unknown(),
  /** Why it failed, in the words of the device. */
  error: Nullable(Type.String()),
  /** How often it was sent: again after each lost connection. */
  attempts: Type.Integer(),
  createdBy: Nullable(Type.String()),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  sentAt: Nullable(Timestamp),
  finishedAt: Nullable(Timestamp),
  rights: Type.Object({ cancel: Right('transition_refused', 'forbidden') }),
})
export type DeviceCommand = Type.Static<typeof DeviceCommand>

const access = scoped('device.read', 'device.command')

export const deviceCommandCalls = defineCalls('maple', access, {
  'GET /api/maple/device/command': {
    summary: 'List the commands of a device, the newest first',
    query: Type.Object(
      {
        deviceId: DeviceId,
        ...ListQuery({ state: Type.Enum(deviceCommandStates) }, deviceCommandSorting).properties,
      },
      { additionalProperties: false },
    ),
    ...lists(DeviceCommand),
    problems: ['bad_cursor', 'not_found'],
  },
  'POST /api/maple/device/command': {
    summary: 'Send a command to a device',
    description: `At once where it is connected, else when it connects. The device answers each id once, however often it is sent. The same id answers with the command that has it. Where the product of the device has a device handler, that makes the bytes that go out. A command expires after ${commandHours} hours unless \`hours\` says otherwise.`,
    body: Strict({
      deviceId: DeviceId,
      name: Type.String({ pattern: commandNamePattern, examples: ['ping'] }),
      data: Type.Optional(Type.Unknown({ examples: [{}] })),
      id: Type.Optional(Uuid),
      hours: Type.Optional(
        Type.Number({
          exclusiveMinimum: 0,
          maximum: maxCommandHours,
          default: commandHours,
          examples: [commandHours],
        }),
      ),
    }),
    response: DeviceCommand,
    status: 201,
    problems: ['not_found', 'already_exists', 'limit_reached', 'transition_refused'],
  },
  'GET /api/maple/device/command/{id}': {
    summary: 'Read a command of a device',
    response: DeviceCommand,
  },
  'POST /api/maple/device/command/{id}/cancel': {
    summary: 'Cancel a command that was not sent yet',
    response: DeviceCommand,
    problems: ['transition_refused'],
  },
})
