import { Type } from 'typebox'
import { defineCalls, scoped } from '../../call.ts'
import { Nullable, Strict, Timestamp } from '../../shapes.ts'
import { DomainPlan, SecurityDomainFacts } from './domain.ts'
import { CplcText } from '../base/cplc.ts'
import { elementStates } from '../fleet/element.rules.ts'

const State = Type.Enum(elementStates)

const Reading = Type.Object({
  /** The session in which the card was read. */
  sessionId: Type.String(),
  readAt: Timestamp,
  /** The CPLC that the card gives now; null when it gives none. */
  cardCplc: Nullable(Type.String()),
  /** What Grove believed before, and what the card says. */
  state: Type.Object({ before: State, after: State }),
  domains: Type.Object({
    items: Type.Array(SecurityDomainFacts),
    /** What of the list was new, different or gone. */
    difference: DomainPlan,
  }),
  applications: Type.Array(
    Type.Object({
      aid: Type.String(),
      state: Type.String(),
      loadFileAid: Nullable(Type.String()),
      /** Null when the card does not tell. */
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
  /** The versions of the keys of the issuer security domain; null when the card does not tell. */
  keyVersions: Nullable(Type.Array(Type.Integer())),
  /** These keys one by one; null when the card does not tell. */
  keys: Nullable(
    Type.Array(
      Type.Object({
        id: Type.Integer(),
        version: Type.Integer(),
        /** The key type of GlobalPlatform, and the length in bytes. */
        components: Type.Array(Type.Object({ type: Type.Integer(), length: Type.Integer() })),
      }),
    ),
  ),
  /** In bytes; null when the card does not tell. */
  freeMemory: Nullable(Type.Integer()),
})
export type CardReading = Type.Static<typeof Reading>

const StoredReading = Type.Object({
  ...Reading.properties,
  /** The id of the user. */
  readBy: Nullable(Type.String()),
  /** How what Grove believes now differs from what the card said then. */
  sinceThen: Type.Object({
    state: Nullable(Type.Object({ before: State, after: State })),
    domains: DomainPlan,
    /** A command got no certain answer since then, so that the card may have changed. */
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
      'In one session with a secure channel: life cycle state, security domains, applications and load files. The answer has what Grove believed before beside what the card says.',
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
