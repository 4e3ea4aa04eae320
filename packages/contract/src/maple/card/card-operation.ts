import { privilegeNames } from '@grove/secure-element/privileges'
import { Type } from 'typebox'
import { changes, defineCalls, scoped } from '../../call.ts'
import { Nullable, Right, Strict, Timestamp, Uuid } from '../../shapes.ts'
import {
  cardOperationKinds,
  cardOperationStates,
  cardProblems,
  cardStepKinds,
  cardStepStates,
  listedCardOperations,
} from './card-operation.rules.ts'
import { DomainPlan, SecurityDomainFacts } from './domain.ts'
import { maxDomains } from './domain.rules.ts'
import { Element } from '../fleet/element.ts'
import { CplcText } from '../base/cplc.ts'

const step = {
  kind: Type.Enum(cardStepKinds),
  aid: Type.String(),
  /** The domain that it moves to, or the state that it gets; null for a step without either. */
  to: Nullable(Type.String()),
  /** What INSTALL grants; null for a step that grants nothing. */
  privileges: Nullable(Type.Array(Type.Enum([...privilegeNames]))),
  /** The AIDs of the applications and packages that go with a deleted domain. */
  deletes: Type.Array(Type.String()),
  /** The command in hex, before the secure channel wraps it. */
  command: Type.String(),
}

const PlannedStep = Type.Object(step)
export type CardStep = Type.Static<typeof PlannedStep>

const RunStep = Type.Object({
  ...step,
  state: Type.Enum(cardStepStates),
  /** Four hex digits, of a card that refused. */
  statusWord: Nullable(Type.String()),
})
export type RunCardStep = Type.Static<typeof RunStep>

export const CardOperation = Type.Object({
  id: Uuid,
  cplc: Type.String(),
  kind: Type.Enum(cardOperationKinds),
  state: Type.Enum(cardOperationStates),
  /** It ends before its next step. */
  isCancelled: Type.Boolean(),
  steps: Type.Array(RunStep),
  problem: Nullable(Type.Object({ code: Type.Enum(cardProblems), message: Type.String() })),
  sessionId: Nullable(Type.String()),
  /** The id of the user. */
  createdBy: Nullable(Type.String()),
  createdAt: Timestamp,
  finishedAt: Nullable(Timestamp),
  rights: Type.Object({ cancel: Right('job_finished') }),
})
export type CardOperation = Type.Static<typeof CardOperation>

const access = scoped('element.read', 'element.secure')

export const cardOperationCalls = defineCalls('maple', access, {
  'POST /api/maple/se/card/domains': {
    summary: 'Bring security domains to the card itself',
    description:
      'With `dryRun=true` it answers the commands in their order, planned from the last reading of the card; nothing is sent. Send the `digest` of that answer to start exactly this plan as a job. The job reads the card first and stops where the card refuses; then it reads the card again.',
    query: Strict({
      replace: Type.Optional(Type.Boolean({ default: false })),
      dryRun: Type.Optional(Type.Boolean({ default: false })),
    }),
    body: Strict({
      cplc: CplcText,
      domains: Type.Array(SecurityDomainFacts, { maxItems: maxDomains }),
      /** Of the plan that was shown. */
      digest: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$', examples: ['0'.repeat(64)] })),
      /** The applications and packages in deleted domains may go with them. */
      deletesContents: Type.Optional(Type.Boolean({ default: false })),
    }),
    response: Type.Object({
      plan: DomainPlan,
      steps: Type.Array(PlannedStep),
      digest: Type.String(),
      /** When the card was read for the plan. */
      readAt: Timestamp,
      operation: Nullable(CardOperation),
    }),
    problems: [
      'not_found',
      'card_unread',
      'domains_refused',
      'edit_conflict',
      'element_terminated',
      'element_blocked',
      'card_busy',
    ],
  },
  'GET /api/maple/se/card/operation': {
    summary: 'List what was done to the card of an element, the newest first',
    description: `The latest ${listedCardOperations}, each with its steps and what came of them.`,
    query: Strict({ cplc: CplcText }),
    response: Type.Object({ items: Type.Array(CardOperation) }),
    problems: ['not_found'],
  },
  'POST /api/maple/se/card/operation/{id}/cancel': {
    summary: 'Cancel an operation on a card before its next step',
    description: 'A command that is on its way is waited for; what was done stays.',
    response: CardOperation,
    problems: ['job_finished'],
  },
  'POST /api/maple/se/card/terminate': {
    summary: 'Ask for a card to be terminated, which cannot be undone',
    description:
      'Somebody else must approve it: until then the element is answered as it is, with the request in `approvals`. Then a job terminates the card.',
    body: Strict({
      cplc: CplcText,
      /** The CPLC again, as a person typed it. */
      confirm: CplcText,
    }),
    ...changes(Element, 'element_terminated', 'element_blocked'),
  },
})
