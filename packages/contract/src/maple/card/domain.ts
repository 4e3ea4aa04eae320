import { statesOf } from '@grove/secure-element/life-cycle'
import { privilegeNames } from '@grove/secure-element/privileges'
import { Type } from 'typebox'
import { defineCalls, scoped } from '../../call.ts'
import { Nullable, Strict } from '../../shapes.ts'
import { domainRefusals, maxDomains } from './domain.rules.ts'
import { Aid } from '../base/aid.ts'
import { CplcText } from '../base/cplc.ts'

const states = [...new Set([...statesOf('card'), ...statesOf('securityDomain')])]

export const SecurityDomainFacts = Strict({
  /** 5 to 16 bytes as hex. */
  aid: Aid,
  /** Null for the issuer security domain: the root of the tree. */
  parent: Nullable(Aid),
  /** The issuer security domain has the state of the card. */
  state: Type.Enum(states),
  privileges: Type.Array(Type.Enum([...privilegeNames]), { maxItems: privilegeNames.length }),
})
export type SecurityDomain = Type.Static<typeof SecurityDomainFacts>

const Refusal = Type.Object({
  aid: Type.String(),
  code: Type.Enum(domainRefusals),
  message: Type.String(),
  /** The values in the message, for a client's own text. */
  params: Type.Record(Type.String(), Type.String()),
})
export type DomainRefusal = Type.Static<typeof Refusal>

export const DomainPlan = Type.Object({
  added: Type.Array(SecurityDomainFacts),
  changed: Type.Array(Type.Object({ before: SecurityDomainFacts, after: SecurityDomainFacts })),
  removed: Type.Array(SecurityDomainFacts),
  /** Why the list cannot be applied; empty when it can. */
  refusals: Type.Array(Refusal),
})
export type DomainPlan = Type.Static<typeof DomainPlan>

const access = scoped('element.read', 'element.secure')

export const domainCalls = defineCalls('maple', access, {
  'GET /api/maple/se/domains': {
    summary: 'List the security domains of an element',
    query: Strict({ cplc: CplcText }),
    response: Type.Object({
      items: Type.Array(SecurityDomainFacts),
      /** The revision of the element, to send in `If-Match`. */
      revision: Type.Integer(),
    }),
    problems: ['not_found'],
  },
  'POST /api/maple/se/domains': {
    summary: 'Merge security domains into those of an element, or replace them',
    description:
      'With `replace=true` the element has exactly the domains of the list, otherwise the list adds and changes. `dryRun=true` answers the plan alone. Send the revision of that answer in `If-Match`: the plan is applied only if the element is as it was.',
    query: Strict({
      replace: Type.Optional(Type.Boolean({ default: false })),
      dryRun: Type.Optional(Type.Boolean({ default: false })),
    }),
    body: Strict({
      cplc: CplcText,
      domains: Type.Array(SecurityDomainFacts, { maxItems: maxDomains }),
    }),
    response: Type.Object({
      plan: DomainPlan,
      isApplied: Type.Boolean(),
      items: Type.Array(SecurityDomainFacts),
      revision: Type.Integer(),
    }),
    problems: ['not_found', 'edit_conflict', 'domains_refused'],
  },
})
