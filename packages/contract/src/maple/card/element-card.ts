import { Type } from 'typebox'
import { defineCalls, scoped } from '../../call.ts'
import { noContent, Nullable, Strict, Timestamp } from '../../shapes.ts'
import { DomainPlan, SecurityDomainFacts } from './domain.ts'
import { CplcText } from '../base/cplc.ts'
import { elementStates } from '../fleet/element.rules.ts'

const State = Type.Enum(elementStates)

const Key = Type.Object({
  id: Type.Integer(),
  version: Type.Integer(),
  /** The key type of GlobalPlatform, and the length in bytes. */
  components: Type.Array(Type.Object({ type: Type.Integer(), length: Type.Integer() })),
})

const Reading = Type.Object({
  /** The session in which the card was read. */
  sessionId: Type.String(),
  readAt: Timestamp,
  /** The CPLC that the card reports now; null if none. */
  cardCplc: Nullable(Type.String()),
  /** Grove's earlier record, and the card's report. */
  state: Type.Object({ before: State, after: State }),
  domains: Type.Object({
    items: Type.Array(SecurityDomainFacts),
    /** The parts of the list that were new, different or gone. */
    difference: DomainPlan,
  }),
  applications: Type.Array(
    Type.Object({
      aid: Type.String(),
      state: Type.String(),
      loadFileAid: Nullable(Type.String()),
      /** Null if the card does not say. */
      domainAid: Nullable(Type.String()),
    }),
  ),
  loadFiles: Type.Array(
    Type.Object({
      aid: Type.String(),
      version: Nullable(Type.String()),
      modules: Type.Array(Type.String()),
      domainAid: Nullable(Type.String()),
    }),
  ),
  /** The versions of the issuer security domain's keys; null if the card does not say. */
  keyVersions: Nullable(Type.Array(Type.Integer())),
  /** These keys one by one; null if the card does not say. */
  keys: Nullable(Type.Array(Key)),
  /**
   * The keys of other security domains that listed them, with the time: a reading during an operation
   * asks only the issuer's domain.
   */
  domainKeys: Type.Array(
    Type.Object({ domainAid: Type.String(), readAt: Timestamp, keys: Type.Array(Key) }),
  ),
  /** In bytes; null if the card does not say. */
  freeMemory: Nullable(Type.Integer()),
})
export type CardReading = Type.Static<typeof Reading>

const StoredReading = Type.Object({
  ...Reading.properties,
  /** The id of the user. */
  readBy: Nullable(Type.String()),
  /** How Grove's current records differ from that report. */
  sinceThen: Type.Object({
    state: Nullable(Type.Object({ before: State, after: State })),
    domains: DomainPlan,
    /** A later command got no definite answer, so the card may have changed. */
    isUncertain: Type.Boolean(),
  }),
})
export type StoredCardReading = Type.Static<typeof StoredReading>

const problems = [
  'not_found',
  'lease_held',
  'transport_missing',
  'element_blocked',
  'key_missing',
  'vault_unavailable',
  'hsm_unavailable',
  'hsm_pin_refused',
  'hsm_pin_locked',
  'hsm_key_missing',
  'limit_reached',
  'card_failed',
  'element_terminated',
] as const

const access = scoped('element.read', 'session.run')

export const elementCardCalls = defineCalls('maple', access, {
  'POST /api/maple/se/card/read': {
    summary: 'Read a card and store what it says',
    description:
      'In one session with a secure channel: life cycle state, security domains, applications, load files and the versions of keys. The answer has what Grove believed before beside what the card says.',
    body: Strict({ cplc: CplcText }),
    response: Reading,
    problems,
  },
  'GET /api/maple/se/card/reading': {
    summary: 'Show what the card of an element said when it was last read',
    query: Strict({ cplc: CplcText }),
    response: Type.Object({ reading: Nullable(StoredReading) }),
    problems: ['not_found'],
  },
  'POST /api/maple/se/card/difference': {
    summary: 'Say that somebody has looked at how a card differed from Grove’s records',
    description:
      'A reading takes over what the card says. Until this call the element has the difference, and the list of elements finds it. Repeating it changes nothing. With `at`, a difference that was found at another time stays, since nobody has looked at it.',
    body: Strict({ cplc: CplcText, at: Type.Optional(Timestamp) }),
    ...noContent,
    problems: ['not_found', 'difference_changed'],
  },
  'POST /api/maple/se/card/lock': {
    summary: 'Lock a card, or unlock it',
    description:
      'Between the states SECURED and CARD_LOCKED. A locked card runs no applet and can be unlocked. The answer is a reading of the card after it.',
    access: { right: 'element.secure', isScoped: true },
    body: Strict({ cplc: CplcText, locked: Type.Boolean() }),
    response: Reading,
    problems: [...problems, 'transition_refused'],
  },
})
