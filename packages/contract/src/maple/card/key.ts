import { Type } from 'typebox'
import { creates, defineCalls, scoped } from '../../call.ts'
import { Name, noContent, Nullable, Strict, Timestamp, Uuid } from '../../shapes.ts'
import { approvalStates } from '../access/approval.rules.ts'
import { Aid } from '../base/aid.ts'
import { CplcText } from '../base/cplc.ts'
import {
  checkValuePattern,
  diversifications,
  keyAlgorithms,
  keyCustodies,
  keyExportDays,
  keyLengths,
  keyOrigins,
  keyPattern,
  keyProtocols,
  keyStates,
  keyTargets,
  keyWrappings,
  maxMasterNameLength,
  mismatchFindings,
  maxKeySets,
  maxMasters,
  rotationCauses,
  rotationSteps,
  wrappedKeyPattern,
} from './key.rules.ts'

export const KeySet = Type.Object({
  id: Type.String(),
  /** The security domain of the keys; null for the issuer's. */
  domain: Nullable(Type.String()),
  version: Type.Integer(),
  protocol: Type.Enum(keyProtocols),
  algorithm: Type.Enum(keyAlgorithms),
  /** Of one key, in bytes. */
  keyLength: Type.Integer(),
  /** Of the ENC, MAC and DEK keys; null for keys derived from a master key. */
  checkValues: Nullable(Type.Array(Type.String())),
  custody: Type.Enum(keyCustodies),
  state: Type.Enum(keyStates),
  origin: Type.Enum(keyOrigins),
  master: Nullable(Type.Object({ id: Type.String(), name: Type.String() })),
  diversification: Nullable(Type.Enum(diversifications)),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type KeySet = Type.Static<typeof KeySet>

export const Rotation = Type.Object({
  id: Type.String(),
  /** The security domain that gets keys; null for the issuer's. */
  domain: Nullable(Type.String()),
  step: Type.Enum(rotationSteps),
  custody: Type.Enum(keyCustodies),
  /** Null for the first keys of a domain. */
  oldVersion: Nullable(Type.Integer()),
  newVersion: Type.Integer(),
  /** The source of the new keys. */
  target: Type.Object({ kind: Type.Enum(keyTargets) }),
  /** Every step with its moment. */
  journal: Type.Array(
    Type.Object({
      step: Type.Enum(rotationSteps),
      at: Timestamp,
      /** What happened, as text for the log. */
      note: Nullable(Type.String()),
      /** The same as a code; older entries have none. */
      cause: Type.Optional(Type.Enum(rotationCauses)),
      /** Of `card_refused`: the status word, in hexadecimal. */
      statusWord: Type.Optional(Type.String()),
    }),
  ),
  /** The id of the user. */
  createdBy: Type.String(),
  jobId: Nullable(Type.String()),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Rotation = Type.Static<typeof Rotation>

/** Which keys a card has instead of the tried ones, found without another attempt. */
export const KeyMismatch = Type.Object({
  at: Timestamp,
  /** The key version and protocol in the card's greeting. */
  version: Type.Integer(),
  protocol: Type.Enum(keyProtocols),
  finding: Type.Enum(mismatchFindings),
  /** Of the keys that the card has, where they were found. */
  foundVersion: Nullable(Type.Integer()),
  diversification: Nullable(Type.Enum(diversifications)),
  masterName: Nullable(Type.String()),
})
export type KeyMismatch = Type.Static<typeof KeyMismatch>

const Master = Type.Object({
  id: Type.String(),
  name: Type.String(),
  algorithm: Type.Enum(keyAlgorithms),
  checkValues: Type.Array(Type.String()),
  /** Whether some card's keys are derived from them, so that they cannot be deleted. */
  isUsed: Type.Boolean(),
  createdAt: Timestamp,
})
export type MasterKey = Type.Static<typeof Master>

const Key = Type.String({
  pattern: keyPattern,
  examples: ['404142434445464748494A4B4C4D4E4F'],
  description: '16, 24 or 32 bytes in hexadecimal',
})
const Keys = Strict({ enc: Key, mac: Key, dek: Key })
const WrappedKey = Type.String({
  pattern: wrappedKeyPattern,
  description:
    'A key under AES-KWP (RFC 5649), in hexadecimal, or a key block of version D (ANSI X9.143, TR-31)',
})
const CheckValue = Type.String({ pattern: checkValuePattern, examples: ['504A77'] })
const CheckValues = Strict({ enc: CheckValue, mac: CheckValue, dek: CheckValue })
const Version = Type.Integer({ minimum: 1, maximum: 255, examples: [48] })

/** The exported keys of a domain, which anyone with the transport key can open. */
const WrappedKeys = Type.Object({
  format: Type.Literal('grove-keys'),
  cplc: Type.String(),
  domain: Nullable(Type.String()),
  version: Type.Integer(),
  protocol: Type.Enum(keyProtocols),
  checkValues: Type.Array(Type.String()),
  wrapping: Type.Enum(keyWrappings),
  /** Of the transport key. */
  transportCheckValue: Type.String(),
  keys: Type.Object({ enc: WrappedKey, mac: WrappedKey, dek: WrappedKey }),
})
export type WrappedKeys = Type.Static<typeof WrappedKeys>

export const KeyExport = Type.Object({
  id: Type.String(),
  cplc: Type.String(),
  domain: Nullable(Type.String()),
  version: Type.Integer(),
  wrapping: Type.Enum(keyWrappings),
  transportCheckValue: Type.String(),
  /** The request that two people decide on. */
  approval: Type.Object({ id: Type.String(), state: Type.Enum(approvalStates) }),
  /** Null until it is approved. */
  document: Nullable(WrappedKeys),
  createdAt: Timestamp,
})
export type KeyExport = Type.Static<typeof KeyExport>

const Target = Strict({
  kind: Type.Enum(keyTargets),
  /** For `random`: the length of one key in bytes. Default: that of the replaced keys, or 16. */
  keyLength: Type.Optional(Type.Enum([...keyLengths.AES])),
  /** For `derived`. */
  masterId: Type.Optional(Uuid),
  diversification: Type.Optional(Type.Enum(diversifications)),
  /** For `imported`. */
  keys: Type.Optional(Keys),
  checkValues: Type.Optional(CheckValues),
})

/** What can be wrong if keys are kept in an HSM. */
const hsmProblems = ['hsm_unavailable', 'hsm_pin_refused', 'hsm_pin_locked', 'hsm_full'] as const

const access = scoped('key.read', 'element.secure')

export const keyCalls = defineCalls('maple', access, {
  'GET /api/maple/se/keys': {
    summary: 'List the key sets of a secure element',
    description: `Versions and check values, never keys; the ${maxKeySets} newest.`,
    query: Strict({ cplc: CplcText }),
    response: Type.Object({
      items: Type.Array(KeySet),
      /** The latest one. */
      rotation: Nullable(Rotation),
      /** Why the element was blocked, until keys fit again. */
      mismatch: Nullable(KeyMismatch),
      /** Whether this platform has an HSM. */
      hasHsm: Type.Boolean(),
      /** Nothing tries keys on the element now, as read together with `mismatch`. */
      isBlocked: Type.Boolean(),
      /**
       * What is wrong with the HSM, as a problem code; null if it responds, or has no keys of the
       * element.
       */
      hsmProblem: Nullable(Type.String()),
    }),
    problems: ['not_found'],
  },
  'POST /api/maple/se/keys': {
    summary: 'Import the keys of a secure element',
    description:
      'Either three keys, the same under a transport key, or a master key and the way in which the keys of each card are made from it. Nothing is sent to the card. They are kept in the HSM if the element’s keys are. Check values that are given must be those of the keys.',
    body: Strict({
      cplc: CplcText,
      /** Default: the issuer's security domain. */
      domain: Type.Optional(Aid),
      version: Version,
      protocol: Type.Enum(keyProtocols),
      keys: Type.Optional(Keys),
      /**
       * Keys that another Grove exported, with the transport key that opens them. A key block must be
       * for the key in whose place it is given.
       */
      wrapped: Type.Optional(
        Strict({ transportKey: Key, enc: WrappedKey, mac: WrappedKey, dek: WrappedKey }),
      ),
      checkValues: Type.Optional(CheckValues),
      masterId: Type.Optional(Uuid),
      diversification: Type.Optional(Type.Enum(diversifications)),
    }),
    ...creates(KeySet, 'not_found', 'already_exists', 'vault_unavailable', ...hsmProblems),
  },
  'POST /api/maple/se/keys/export': {
    summary: 'Ask for the keys of a set under a transport key',
    description:
      'Two other people approve it. Then each key is wrapped with AES-KWP (RFC 5649), or in a key block of version D (ANSI X9.143, TR-31), and the transport key is destroyed. Keys in an HSM and those derived from master keys do not leave.',
    body: Strict({
      /** Of the key set. */
      id: Uuid,
      /** An AES key at least as long as the keys. */
      transportKey: Key,
      /** Default: `AES-KWP`. */
      wrapping: Type.Optional(Type.Enum(keyWrappings)),
    }),
    ...creates(KeyExport, 'not_found', 'transition_refused', 'vault_unavailable'),
  },
  'GET /api/maple/se/keys/export': {
    summary: 'List your exports of the keys of a secure element',
    description: `Only who asked for an export sees it, for ${keyExportDays} days.`,
    query: Strict({ cplc: CplcText }),
    response: Type.Object({ items: Type.Array(KeyExport) }),
    problems: ['not_found'],
  },
  'DELETE /api/maple/se/keys': {
    summary: 'Retire a key set',
    description: 'Its keys are destroyed for good; the card keeps them.',
    query: Strict({ id: Uuid }),
    ...noContent,
    problems: ['not_found', 'rotation_running'],
  },
  'POST /api/maple/se/keys/rotation': {
    summary: 'Give a security domain of a card new keys',
    description:
      'A job makes the keys or takes those that are given, writes them down, sends PUT KEY once, authenticates with the new keys, and only then counts the old ones as old. After a power cut the job finds out which keys the card has. Without a version to replace, a domain that has no keys of its own gets its first ones, through the channel of the domain above it.',
    body: Strict({
      cplc: CplcText,
      /** Default: the issuer's security domain. */
      domain: Type.Optional(Aid),
      /** The version to replace; none for the first keys of a domain. */
      version: Type.Optional(Version),
      /** The version of the new keys; default: that of the old keys, or 30 (SCP03) or 20 (SCP02). */
      newVersion: Type.Optional(Type.Integer({ minimum: 1, maximum: 127, examples: [48] })),
      /** Default: random keys of the same length as the replaced ones. */
      target: Type.Optional(Target),
    }),
    ...creates(
      Rotation,
      'not_found',
      'already_exists',
      'key_missing',
      'rotation_running',
      'element_blocked',
      'vault_unavailable',
      'hsm_unavailable',
    ),
  },
  'PUT /api/maple/se/keys/rotation': {
    summary: 'Ask a card which keys it has after a rotation that was cut off',
    query: Strict({ id: Uuid }),
    response: Rotation,
    problems: ['not_found', 'transition_refused'],
  },
  'GET /api/maple/se/masters': {
    summary: 'List master keys',
    description: `Names and check values, never keys; at most ${maxMasters}.`,
    response: Type.Object({ items: Type.Array(Master) }),
  },
  'POST /api/maple/se/masters': {
    summary: 'Import master keys',
    body: Strict({
      name: Name(maxMasterNameLength),
      algorithm: Type.Enum(keyAlgorithms),
      keys: Keys,
      checkValues: Type.Optional(CheckValues),
    }),
    ...creates(Master, 'already_exists', 'limit_reached', 'vault_unavailable'),
  },
  'DELETE /api/maple/se/masters': {
    summary: 'Delete master keys that no key set uses',
    query: Strict({ id: Uuid }),
    ...noContent,
    problems: ['not_found', 'element_has_keys'],
  },
})
