import { Type } from 'typebox'
import { creates, defineCalls, scoped } from '../../call.ts'
import { Name, noContent, Nullable, Strict, Timestamp, Uuid } from '../../shapes.ts'
import { CplcText } from '../base/cplc.ts'
import { maxKeyTextLength } from './purpose-key.rules.ts'
import {
  maxCertificateTextLength,
  maxCredentialNameLength,
  maxCredentials,
  scp11KeyLengths,
  scp11Variants,
} from './scp11.rules.ts'

const Version = Type.Integer({ minimum: 1, maximum: 127 })

export const Scp11Credential = Type.Object({
  id: Type.String(),
  name: Type.String(),
  variant: Type.Enum(scp11Variants),
  /** The version of the card’s key. */
  keyVersion: Type.Integer(),
  /** Length of session keys in bytes. */
  keyLength: Type.Integer(),
  /** Identifiers of the keys that certify cards: SHA-1 of the point, in hexadecimal. */
  authorities: Type.Array(Type.String()),
  /** The host's credentials for the card; null with variant b. */
  host: Nullable(
    Type.Object({
      /** Of its key's certificate, in hexadecimal. */
      subject: Type.String(),
      certificates: Type.Integer(),
      validTo: Timestamp,
      /** The card’s key for the authority that issued the first certificate. */
      authority: Type.Object({ keyVersion: Type.Integer(), keyId: Type.Integer() }),
    }),
  ),
  /** Whether the requested element is opened with it by default. */
  isDefault: Type.Boolean(),
  /** The id of the user. */
  createdBy: Type.String(),
  createdAt: Timestamp,
})
export type Scp11Credential = Type.Static<typeof Scp11Credential>

const access = scoped('key.read', 'element.secure')
const query = Strict({ id: Uuid, cplc: CplcText })

export const scp11Calls = defineCalls('maple', access, {
  'GET /api/maple/se/scp11': {
    summary: 'List the credentials for SCP11 that fit an element',
    description:
      'Those of the service provider of the element, by name. Private keys are never answered.',
    query: Strict({ cplc: CplcText }),
    response: Type.Object({ items: Type.Array(Scp11Credential) }),
    problems: ['not_found'],
  },
  'POST /api/maple/se/scp11': {
    summary: 'Add credentials for SCP11',
    description: `For every element of the service provider of the named one; at most ${maxCredentials}. All keys are on P-256.`,
    body: Strict({
      cplc: CplcText,
      name: Name(maxCredentialNameLength),
      variant: Type.Enum(scp11Variants),
      /** The version of the card’s key. */
      keyVersion: Version,
      /** Length of session keys in bytes; default: 16. */
      keyLength: Type.Optional(Type.Enum([...scp11KeyLengths])),
      /**
       * The authorities that certify cards: certificates or public keys as PEM, or points in
       * hexadecimal.
       */
      authorities: Type.String({ minLength: 1, maxLength: maxCertificateTextLength }),
      /** The private key of the host, as PEM or as a number in hexadecimal; with variants a and c. */
      key: Type.Optional(Type.String({ minLength: 1, maxLength: maxKeyTextLength })),
      /**
       * Its own certificate last: X.509 as PEM, or GlobalPlatform certificates in hexadecimal, one
       * per line; with variants a and c.
       */
      certificates: Type.Optional(
        Type.String({ minLength: 1, maxLength: maxCertificateTextLength }),
      ),
      /** The card’s key for the authority that issued the first certificate; with variants a and c. */
      authority: Type.Optional(
        Strict({ keyVersion: Version, keyId: Type.Integer({ minimum: 0, maximum: 127 }) }),
      ),
    }),
    ...creates(
      Scp11Credential,
      'not_found',
      'already_exists',
      'limit_reached',
      'vault_unavailable',
    ),
  },
  'PUT /api/maple/se/scp11/default': {
    summary: 'Choose what opens secure channels to an element',
    description:
      'With credentials, whatever opens a channel to the domain of the issuer and names no key version uses them: jobs, templates, scripts, rollouts and sessions. Without, the keys of the card do so again.',
    query: Strict({ cplc: CplcText }),
    body: Strict({ id: Nullable(Uuid) }),
    response: Type.Object({ items: Type.Array(Scp11Credential) }),
    problems: ['not_found'],
  },
  'DELETE /api/maple/se/scp11': {
    summary: 'Delete credentials for SCP11',
    description:
      'The private key is destroyed for good. Elements that were opened with them need others.',
    query,
    ...noContent,
    problems: ['not_found'],
  },
})
