import { Type } from 'typebox'
import { changes, creates, defineCalls, deletes, scoped } from '../../call.ts'
import {
  Count,
  Name,
  Nullable,
  optional,
  Right,
  stored,
  Strict,
  Timestamp,
  Uuid,
} from '../../shapes.ts'
import {
  certificateRefusals,
  certifiedCountLimit,
  maxAuthorityNameLength,
  maxCertificateLength,
  maxSignatureLength,
  maxAuthorities,
  serialPattern,
  shownCertificates,
  signaturePattern,
} from './certificate-authority.rules.ts'
import { claimedStates } from './device-connection.rules.ts'
import { deviceIdPattern, deviceTypes } from '../fleet/device.rules.ts'

const Authority = Type.Object({
  id: Uuid,
  serviceId: Nullable(Type.String()),
  /** The product that its new devices are of. */
  productId: Nullable(Uuid),
  name: Type.String(),
  /** The subject of its certificate: `CN=Factory 7`, one part per line. */
  subject: Type.String(),
  /** SHA-256 of its certificate in hex. */
  fingerprint: Type.String(),
  validFrom: Timestamp,
  validTo: Timestamp,
  /** For devices that were not registered before. */
  type: Type.Enum(deviceTypes),
  state: Type.Enum(claimedStates),
  /** The challenge to sign with its key; null once that was done. */
  challenge: Nullable(Type.String()),
  isEnabled: Type.Boolean(),
  /** Devices that connected with its certificates. */
  devices: Count,
  /** The last certificate of it that was refused, and why. */
  refused: Nullable(
    Type.Object({ at: Timestamp, serial: Type.String(), reason: Type.Enum(certificateRefusals) }),
  ),
  createdBy: Nullable(Type.String()),
  rights: Type.Object({ prove: Right('transition_refused') }),
  ...stored,
})
export type CertificateAuthority = Type.Static<typeof Authority>

const Certificate = Type.Object({
  /** Hex digits in capitals. */
  serial: Type.String(),
  /** Null for one that was revoked before a device connected with it. */
  deviceId: Nullable(Type.String()),
  /** When a device first connected with it. */
  usedAt: Nullable(Timestamp),
  validTo: Nullable(Timestamp),
  revokedAt: Nullable(Timestamp),
})
export type DeviceCertificate = Type.Static<typeof Certificate>

const OfDevice = Type.Object({
  /** Hex digits in capitals. */
  serial: Type.String(),
  authorityId: Uuid,
  /** The name of the authority that signed it. */
  authority: Type.String(),
  /** When the device first connected with it. */
  usedAt: Timestamp,
  validTo: Timestamp,
  revokedAt: Nullable(Timestamp),
  /** Why the device cannot connect with it now; null if it can. */
  refusal: Nullable(Type.Enum(certificateRefusals)),
})
export type CertificateOfDevice = Type.Static<typeof OfDevice>

const name = Name(maxAuthorityNameLength)
const state = Type.Enum(claimedStates, { default: 'quarantined' })

const access = scoped('device.read', 'device.change')

export const certificateAuthorityCalls = defineCalls('maple', access, {
  'GET /api/maple/device/certificate_authority': {
    summary: 'List the certificate authorities of a service provider',
    description:
      'The newest first. Of a product those whose new devices are of it, and those of its service provider that are for no product.',
    query: Strict(optional({ productId: Uuid })),
    response: Type.Object({ items: Type.Array(Authority) }),
  },
  'POST /api/maple/device/certificate_authority': {
    summary: 'Add a certificate authority',
    description: `The certificate that signs those of devices, in PEM. It is used once the challenge in the answer was signed with its key. A service provider has at most ${maxAuthorities}.`,
    body: Strict({
      name,
      certificate: Type.String({
        maxLength: maxCertificateLength,
        examples: ['-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n'],
      }),
      type: Type.Enum(deviceTypes),
      ...optional({ state, productId: Uuid }),
    }),
    ...creates(Authority, 'limit_reached', 'product_ended', 'service_suspended'),
  },
  'POST /api/maple/device/certificate_authority/{id}/proof': {
    summary: 'Show that the key of a certificate authority is yours',
    description:
      'The signature of the challenge with SHA-256, in base64. A key that a service provider has is refused to every other.',
    body: Strict({
      signature: Type.String({
        minLength: 1,
        maxLength: maxSignatureLength,
        pattern: signaturePattern,
        examples: ['MEUCIQDZ'],
      }),
    }),
    response: Authority,
    problems: ['transition_refused', 'already_exists'],
  },
  'PUT /api/maple/device/certificate_authority/{id}': {
    summary: 'Change, disable or enable a certificate authority',
    description:
      'While it is disabled, no device connects with its certificates. Open connections end within seconds.',
    body: Strict(optional({ name, state: Type.Enum(claimedStates), isEnabled: Type.Boolean() })),
    ...changes(Authority),
  },
  'DELETE /api/maple/device/certificate_authority/{id}': {
    summary: 'Delete a certificate authority',
    description:
      'Its devices stay, and cannot connect with its certificates. Open connections end within seconds. Serial numbers that were revoked are forgotten with it.',
    ...deletes(),
  },
  'GET /api/maple/device/certificate_authority/{id}/certificates': {
    summary: 'List the certificates that devices connected with, and those that were revoked',
    description: `The newest ${shownCertificates}. Devices of an authority are counted to ${certifiedCountLimit}.`,
    response: Type.Object({ items: Type.Array(Certificate) }),
  },
  'GET /api/maple/device/certificate': {
    summary: 'List the certificates that a device connected with',
    description: `The newest ${shownCertificates}, of authorities that the reader may see.`,
    query: Strict({ deviceId: Type.String({ pattern: deviceIdPattern }) }),
    response: Type.Object({ items: Type.Array(OfDevice) }),
    problems: ['not_found'],
  },
  'POST /api/maple/device/certificate_authority/{id}/revoked': {
    summary: 'Revoke a certificate by its serial number',
    description:
      'It stays revoked. A connection that was opened with it ends within seconds. It may be one that no device used yet.',
    body: Strict({
      serial: Type.String({ pattern: serialPattern, examples: ['3A:01:FF', '3a01ff'] }),
    }),
    response: Certificate,
    status: 201,
    problems: ['already_exists'],
  },
})
