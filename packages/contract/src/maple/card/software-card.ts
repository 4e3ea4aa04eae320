import { cplcPattern } from '@grove/secure-element/cplc'
import { statesOf } from '@grove/secure-element/life-cycle'
import { Type } from 'typebox'
import { changes, creates, defineCalls, deletes, listsBy, scoped } from '../../call.ts'
import {
  Name,
  noContent,
  Nullable,
  optional,
  SearchText,
  stored,
  Strict,
  Timestamp,
  Uuid,
} from '../../shapes.ts'
import { ServiceId } from '../access/service.ts'
import {
  cardKinds,
  cardSearchLimit,
  cardSorting,
  defaultCardKind,
  instructionPattern,
  latestPowerCut,
  maxCardNameLength,
  maxDelay,
  maxSeedLength,
  maxSnapshotNameLength,
  maxCards,
  maxSnapshots,
  statusWordPattern,
} from './software-card.rules.ts'

const atOnce = {
  /** Power fails before this write, counted from the change. The command gets no reply. */
  powerCutBeforeWrite: Type.Integer({ minimum: 1, maximum: latestPowerCut }),
  /** The next command of this instruction is not run, and gets this status word. */
  wrongStatusWord: Strict({
    instruction: Type.String({ pattern: instructionPattern, examples: ['E6'] }),
    statusWord: Type.String({ pattern: statusWordPattern, examples: ['6A84'] }),
  }),
  /** The sequence counter of secure channels does not rise. */
  isCounterStuck: Type.Boolean(),
  /** Secure channels open with unknown keys. */
  hasOtherKeys: Type.Boolean(),
}

/** Injected faults. A one-time fault is removed after it occurs. */
const Faults = Strict(
  optional({
    ...atOnce,
    /** Delay of every reply, in milliseconds. */
    delay: Type.Integer({ minimum: 1, maximum: maxDelay }),
  }),
)
/** Without delays. */
export const DryRunFaults = Strict(optional(atOnce))
export type CardFaults = Type.Static<typeof Faults>

const Card = Type.Object({
  /** The CPLC, which is also the id of its secure element. */
  id: Type.String(),
  name: Type.String(),
  kind: Type.Enum(cardKinds),
  /** The device of type `virtual` that has the card. */
  deviceId: Nullable(Type.String()),
  serviceId: Nullable(Type.String()),
  faults: Faults,
  /** Such as `SCP03 i=70`. */
  protocol: Type.String(),
  lifeCycle: Type.Enum([...statesOf('card')]),
  /** In bytes. */
  memory: Type.Object({ total: Type.Integer(), free: Type.Integer() }),
  /** The AIDs of installed applications, and of loaded packages. */
  applications: Type.Array(Type.String()),
  packages: Type.Array(Type.String()),
  /** The versions of its key sets. */
  keyVersions: Type.Array(Type.Integer()),
  ...stored,
})
export type SoftwareCard = Type.Static<typeof Card>

const Snapshot = Type.Object({
  id: Uuid,
  cardId: Type.String(),
  name: Type.String(),
  lifeCycle: Type.Enum([...statesOf('card')]),
  createdAt: Timestamp,
})
export type CardSnapshot = Type.Static<typeof Snapshot>

const CardId = Type.String({ pattern: cplcPattern, description: 'The CPLC of the card' })
const at = Strict({ id: CardId })
const name = Name(maxCardNameLength)

const access = scoped('card.read', 'card.change')

export const softwareCardCalls = defineCalls('maple', access, {
  'GET /api/maple/software_cards': {
    summary: 'List software cards',
    description: `A search finds by the beginnings of words of a name and looks at the first ${cardSearchLimit}. An id finds only that card.`,
    ...listsBy(Card, cardSorting, {
      id: CardId,
      q: SearchText('The beginnings of words of a name'),
    }),
  },
  'POST /api/maple/software_cards': {
    summary: 'Make a software card',
    description: `It is a secure element in a device of type \`virtual\`, which is made with it. Cards of one service provider with one seed behave alike to the last byte. A service provider has at most ${maxCards}. No byte code runs on it: an installed applet answers by a model, or 6D00.`,
    body: Strict({
      name,
      kind: Type.Optional(Type.Enum(cardKinds, { default: defaultCardKind })),
      seed: Type.Optional(Type.String({ minLength: 1, maxLength: maxSeedLength })),
      /** Only where the caller sees every service provider; otherwise it is the caller’s own. */
      serviceId: Type.Optional(Nullable(ServiceId)),
    }),
    ...creates(Card, 'already_exists', 'limit_reached', 'service_suspended', 'service_in_use'),
  },
  'PUT /api/maple/software_cards': {
    summary: 'Rename a software card, or break and mend it on purpose',
    description:
      'The faults of the list replace those before; an empty object mends the card. A session that is open sees them at its next command.',
    query: at,
    body: Strict(optional({ name, faults: Faults })),
    ...changes(Card),
  },
  'DELETE /api/maple/software_cards': {
    summary: 'Delete a software card with its secure element, and retire its device',
    query: at,
    ...deletes(),
  },
  'POST /api/maple/software_cards/copy': {
    summary: 'Copy a software card',
    description: 'The copy has what the card has, without its faults and under a CPLC of its own.',
    query: at,
    body: Strict({ name }),
    ...creates(Card, 'not_found', 'limit_reached', 'service_suspended', 'service_in_use'),
  },
  'POST /api/maple/software_cards/reset': {
    summary: 'Make a software card as it was when it was new',
    description: 'Everything on it is gone, its faults too. Its CPLC and its snapshots stay.',
    query: at,
    ...changes(Card),
  },
  'GET /api/maple/software_cards/snapshots': {
    summary: 'List the snapshots of a software card, the newest first',
    query: at,
    response: Type.Object({ items: Type.Array(Snapshot) }),
    problems: ['not_found'],
  },
  'POST /api/maple/software_cards/snapshots': {
    summary: 'Keep what a software card is like now under a name',
    description: `A card has at most ${maxSnapshots} snapshots.`,
    query: at,
    body: Strict({ name: Name(maxSnapshotNameLength) }),
    ...creates(Snapshot, 'not_found', 'already_exists', 'limit_reached'),
  },
  'DELETE /api/maple/software_cards/snapshots': {
    summary: 'Delete a snapshot of a software card',
    query: Strict({ id: Uuid }),
    ...noContent,
    problems: ['not_found'],
  },
  'POST /api/maple/software_cards/restore': {
    summary: 'Make a software card as it was at a snapshot',
    description:
      'The card loses its power: a session that is open has to open its secure channel again.',
    body: Strict({ snapshotId: Uuid }),
    ...changes(Card),
  },
})
