import { Type } from 'typebox'
import { changes, creates, defineCalls, listsBy } from '../call.ts'
import { Name, Nullable, Right, stored, Strict, Uuid } from '../shapes.ts'
import {
  maxRequestsPerDay,
  maxRequestTextLength,
  providerRequestSorting,
  providerRequestStates,
} from './provider-request.rules.ts'
import { maxProviderNameLength } from './provider.rules.ts'

const ProviderRequest = Type.Object({
  id: Uuid,
  name: Type.String(),
  /** The purpose of the provider. */
  purpose: Type.String(),
  state: Type.Enum(providerRequestStates),
  /** The id of the requesting user. */
  requestedBy: Type.String(),
  /** Why it was refused. */
  reason: Nullable(Type.String()),
  /** The provider created by the approval; it may have been deleted since. */
  providerId: Nullable(Uuid),
  rights: Type.Object({
    decide: Right('forbidden', 'approval_decided'),
    withdraw: Right('forbidden', 'approval_decided'),
  }),
  ...stored,
})
export type ProviderRequest = Type.Static<typeof ProviderRequest>

const query = Strict({ id: Uuid })
const text = Name(maxRequestTextLength)

export const providerRequestCalls = defineCalls('cedar', 'developer', {
  'GET /api/provider/request': {
    summary: 'List requests for providers',
    description: 'Administrators see everybody’s, others their own.',
    ...listsBy(ProviderRequest, providerRequestSorting, {
      id: Uuid,
      state: Type.Enum(providerRequestStates),
    }),
  },
  'POST /api/provider/request': {
    summary: 'Request a provider that one may not create',
    description: `One open request a person, and at most ${maxRequestsPerDay} a day. Who may create a provider needs no request.`,
    body: Strict({ name: Name(maxProviderNameLength), purpose: text }),
    ...creates(ProviderRequest, 'forbidden', 'limit_reached'),
  },
  'PUT /api/provider/request': {
    summary: 'Approve or refuse a request for a provider',
    description:
      'An approval makes the provider, which the requesting user owns. A refusal needs a reason, which that user sees.',
    access: 'admin',
    query,
    body: Strict({ isApproved: Type.Boolean(), reason: Type.Optional(text) }),
    ...changes(ProviderRequest, 'approval_decided'),
  },
  'DELETE /api/provider/request': {
    summary: 'Withdraw one’s open request for a provider',
    query,
    ...changes(ProviderRequest, 'forbidden', 'approval_decided'),
  },
})
