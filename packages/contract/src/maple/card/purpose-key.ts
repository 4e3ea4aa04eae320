import { Type } from 'typebox'
import { creates, defineCalls, scoped } from '../../call.ts'
import { noContent, Nullable, Strict, Timestamp, Uuid } from '../../shapes.ts'
import { approvalStates } from '../access/approval.rules.ts'
import { Aid } from '../base/aid.ts'
import { CplcText } from '../base/cplc.ts'
import { keyLengths, rotationCauses } from './key.rules.ts'
import {
  keyPurposes,
  maxCommandLength,
  maxKeyTextLength,
  maxPurposeKeys,
  maxSigned,
  purposeKeyKinds,
  purposeKeyStates,
  tokenRequestDays,
} from './purpose-key.rules.ts'

export const PurposeKey = Type.Object({
  id: Type.String(),
  /** The security domain of the key; null for the issuer's. */
  domain: Nullable(Type.String()),
  purpose: Type.Enum(keyPurposes),
  version: Type.Integer(),
  kind: Type.Enum(purposeKeyKinds),
  /** In bits. */
  length: Type.Integer(),
  /** The check value of a secret key; null for a key pair. */
  checkValue: Nullable(Type.String()),
  /** The public key of a pair as PEM; null for a secret key. */
  publicKey: Nullable(Type.String()),
  /** Whether Grove can create signatures with it, or verify receipts. */
  hasSecret: Type.Boolean(),
  origin: Type.Enum(['generated', 'imported']),
  state: Type.Enum(purposeKeyStates),
  /** Why it is in this state, as text for the log, and as a code. */
  note: Nullable(Type.String()),
  cause: Nullable(Type.Enum(rotationCauses)),
  /** Of `card_refused`: in hexadecimal. */
  statusWord: Nullable(Type.String()),
  /** The id of the user. */
  createdBy: Type.String(),
  jobId: Nullable(Type.String()),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type PurposeKey = Type.Static<typeof PurposeKey>

export const TokenRequest = Type.Object({
  id: Type.String(),
  cplc: Type.String(),
  commands: Type.Array(Type.String()),
  /** In the order of the commands; null until another person approves. */
  tokens: Nullable(Type.Array(Type.String())),
  approval: Type.Object({ id: Type.String(), state: Type.Enum(approvalStates) }),
  createdAt: Timestamp,
})
export type TokenRequest = Type.Static<typeof TokenRequest>

const access = scoped('key.read', 'element.secure')
const query = Strict({ id: Uuid })

export const purposeKeyCalls = defineCalls('maple', access, {
  'GET /api/maple/se/keys/purpose': {
    summary: 'List the keys of an element for tokens, receipts and signatures of load files',
    description: `Without what is secret of them; the ${maxPurposeKeys} newest.`,
    query: Strict({ cplc: CplcText }),
    response: Type.Object({ items: Type.Array(PurposeKey) }),
    problems: ['not_found'],
  },
  'POST /api/maple/se/keys/purpose': {
    summary: 'Give a security domain a key for tokens, receipts or signatures of load files',
    description:
      'A job sends it with PUT KEY and repeats that after a power cut, since the keys of the channel stay as they are. A key that the domain has for this purpose is replaced. The card gets the public key of a pair. Without `key` Grove makes one.',
    body: Strict({
      cplc: CplcText,
      /** Default: the issuer's security domain. */
      domain: Type.Optional(Aid),
      purpose: Type.Enum(keyPurposes),
      /** AES for a card with SCP03, DES for SCP02; a key pair for either. */
      kind: Type.Enum(purposeKeyKinds),
      /** The length in bytes of an AES key that Grove generates. */
      keyLength: Type.Optional(Type.Enum([...keyLengths.AES])),
      /**
       * A secret key in hexadecimal, or a private key as PEM. For a pair whose private key is kept
       * elsewhere, the public key as PEM.
       */
      key: Type.Optional(Type.String({ minLength: 1, maxLength: maxKeyTextLength })),
      /** The card has this `key` already, such as from another Grove: nothing is sent. */
      isOnCard: Type.Optional(Type.Boolean()),
    }),
    ...creates(PurposeKey, 'not_found', 'rotation_running', 'element_blocked', 'vault_unavailable'),
  },
  'PUT /api/maple/se/keys/purpose': {
    summary: 'Send a key again whose job was cut off',
    query,
    response: PurposeKey,
    problems: ['not_found', 'transition_refused'],
  },
  'DELETE /api/maple/se/keys/purpose': {
    summary: 'Forget a key for tokens, receipts or signatures of load files',
    description: 'What Grove has of it is destroyed for good; the card keeps it.',
    query,
    ...noContent,
    problems: ['not_found'],
  },
  'POST /api/maple/se/tokens': {
    summary: 'Ask to have commands signed with a card’s key for tokens',
    description:
      'For whoever has a domain with delegated management, but not the key. Another person approves it.',
    body: Strict({
      cplc: CplcText,
      /** INSTALL and DELETE commands without tokens, in hexadecimal, as a pre-flight lists them. */
      commands: Type.Array(
        Type.String({
          pattern: '^([0-9A-Fa-f]{2})+$',
          maxLength: maxCommandLength,
          examples: ['80E60200'],
        }),
        { minItems: 1, maxItems: maxSigned },
      ),
    }),
    ...creates(TokenRequest, 'not_found', 'key_missing', 'transition_refused'),
  },
  'GET /api/maple/se/tokens': {
    summary: 'List your requests for tokens',
    description: `Only who asked for tokens sees them, for ${tokenRequestDays} days.`,
    query: Strict({ cplc: CplcText }),
    response: Type.Object({ items: Type.Array(TokenRequest) }),
    problems: ['not_found'],
  },
})
