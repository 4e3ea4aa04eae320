import { Type } from 'typebox'
import { defineCalls, scoped } from '../../call.ts'
import { Name, noContent, Nullable, optional, Strict, Timestamp, Uuid } from '../../shapes.ts'
import {
  claimedStates,
  claimNameLimit,
  claimPattern,
  deviceSecretPattern,
  maxClaimHours,
  maxClaimCodes,
  maxClaims,
  maxCredentials,
  shownMessages,
} from './device-connection.rules.ts'
import { CplcList } from '../fleet/device.ts'
import { Decoding } from '../program/device-handler.ts'
import { deviceIdPattern, deviceStates, deviceTypes } from '../fleet/device.rules.ts'

const DeviceId = Type.String({ pattern: deviceIdPattern })

const Credential = Type.Object({
  /** Also the user name of the device at an MQTT broker. */
  id: Uuid,
  deviceId: Type.String(),
  /** Null for one that the device generated itself when it used a claim code. */
  createdBy: Nullable(Type.String()),
  createdAt: Timestamp,
  /** When the device first connected with it. */
  usedAt: Nullable(Timestamp),
  /** The broker in front has an account of it, or gets one in a moment. */
  isAtBroker: Type.Boolean(),
})
export type DeviceCredential = Type.Static<typeof Credential>

const ClaimCode = Type.Object({
  id: Uuid,
  name: Type.String(),
  serviceId: Nullable(Type.String()),
  /** For devices that were not registered before. */
  type: Type.Enum(deviceTypes),
  state: Type.Enum(claimedStates),
  /** The product that these devices then are of. */
  productId: Nullable(Uuid),
  uses: Type.Integer(),
  mostUses: Type.Integer(),
  createdBy: Nullable(Type.String()),
  createdAt: Timestamp,
  expiresAt: Timestamp,
})
export type ClaimCode = Type.Static<typeof ClaimCode>

export const DeviceMessage = Type.Object({
  /** Rises with each message that is stored. */
  id: Type.Integer(),
  kind: Type.String(),
  /** Empty, and `seq` 0, for messages to the device. */
  boot: Type.String(),
  seq: Type.Integer(),
  /** By the clock of the device, which may be wrong. */
  sentAt: Nullable(Timestamp),
  /**
   * The device's clock is ahead, or its time is before the retention period: readings are placed at
   * their arrival.
   */
  isClockOff: Type.Boolean(),
  receivedAt: Timestamp,
  data: Type.Unknown(),
  /** Of a payload that a device handler decodes. */
  decoding: Nullable(Decoding),
})
export type DeviceMessage = Type.Static<typeof DeviceMessage>

const Connection = Type.Object({
  /** `unknown`: the gateway of the connection is not responding. */
  state: Type.Enum(['connected', 'away', 'unknown', 'never']),
  connectedAt: Nullable(Timestamp),
  seenAt: Nullable(Timestamp),
  agent: Nullable(Type.String()),
  firmware: Nullable(Type.String()),
  protocol: Nullable(Type.String()),
  ip: Nullable(Type.String()),
  /** Missing messages of the current boot: gaps in the numbers. */
  lost: Type.Integer(),
  /** The last message that was refused, and why; it is not stored. */
  refused: Nullable(Type.Object({ at: Timestamp, error: Type.String() })),
  /** CPLCs of the elements that it offers to sessions; null unless it is connected and accepted. */
  offered: Nullable(Type.Array(Type.String())),
  /** In the last minutes, two devices with one secret took the connection from each other. */
  rivals: Nullable(Type.Object({ times: Type.Integer(), ips: Type.Array(Type.String()) })),
  /** Its messages, newest first. */
  messages: Type.Array(DeviceMessage),
})
export type DeviceConnection = Type.Static<typeof Connection>

const access = scoped('device.read', 'device.change')

export const deviceConnectionCalls = defineCalls('maple', access, {
  'GET /api/maple/device/credential': {
    summary: 'List the secrets that a device connects with',
    description: 'The secrets themselves are not kept.',
    query: Strict({ deviceId: DeviceId }),
    response: Type.Object({ items: Type.Array(Credential) }),
    problems: ['not_found'],
  },
  'POST /api/maple/device/credential': {
    summary: 'Make a secret for a device',
    description: `The answer has the secret, this once. A device has at most ${maxCredentials}: the one in use and the next.`,
    body: Strict({ deviceId: DeviceId }),
    response: Type.Object({ ...Credential.properties, secret: Type.String() }),
    status: 201,
    problems: ['not_found', 'limit_reached', 'transition_refused'],
  },
  'DELETE /api/maple/device/credential': {
    summary: 'Revoke a secret of a device',
    description: 'A connection that was opened with it ends within seconds.',
    query: Strict({ id: Uuid }),
    ...noContent,
    problems: ['not_found'],
  },
  'GET /api/maple/device/connection': {
    summary: 'Read whether a device is connected, and what it last said',
    description: `The newest ${shownMessages} messages.`,
    query: Strict({ deviceId: DeviceId }),
    response: Connection,
    problems: ['not_found'],
  },
  'GET /api/maple/device/claim_code': {
    summary: 'List claim codes that can be used',
    description: 'Of a product also those that are used up or have ended. The newest first.',
    query: Strict(optional({ productId: Uuid })),
    response: Type.Object({ items: Type.Array(ClaimCode) }),
  },
  'POST /api/maple/device/claim_code': {
    summary: 'Make a claim code',
    description: `A device exchanges it for a secret of its own. One that nobody registered is created in the state given, by default quarantined. A service provider has at most ${maxClaimCodes} codes.`,
    body: Strict({
      name: Name(claimNameLimit),
      type: Type.Enum(deviceTypes),
      ...optional({
        state: Type.Enum(claimedStates, { default: 'quarantined' }),
        mostUses: Type.Integer({ minimum: 1, maximum: maxClaims, default: 1 }),
        hours: Type.Integer({ minimum: 1, maximum: maxClaimHours, default: 24 }),
        productId: Uuid,
      }),
    }),
    response: Type.Object({ ...ClaimCode.properties, code: Type.String() }),
    status: 201,
    problems: ['limit_reached', 'product_ended'],
  },
  'DELETE /api/maple/device/claim_code': {
    summary: 'Revoke a claim code',
    description: 'Devices that used it keep their secrets.',
    query: Strict({ id: Uuid }),
    ...noContent,
    problems: ['not_found'],
  },
  'POST /api/maple/device/claim': {
    summary: 'Use a claim code, as a device',
    description:
      'The device makes its secret and keeps it before it asks, so that it can ask again with the same one when no answer came. Asking again uses the code once. The elements that it names become those of the device.',
    access: 'public',
    body: Strict({
      code: Type.String({ pattern: claimPattern, examples: ['7K2Q-F9M4-XT0B'] }),
      id: DeviceId,
      secret: Type.String({ pattern: deviceSecretPattern, examples: ['A'.repeat(43)] }),
      ...optional({ elements: CplcList }),
    }),
    response: Type.Object({
      id: Type.String(),
      state: Type.Enum(deviceStates),
      /** The user name at an MQTT broker: the id of the secret. */
      user: Uuid,
    }),
    problems: [
      'wrong_pairing_code',
      'too_many_attempts',
      'device_id_taken',
      'already_exists',
      'product_ended',
      'element_attached_elsewhere',
    ],
  },
})
