import { privilegeNames } from '@grove/secure-element/privileges'
import { Type } from 'typebox'
import { changes, defineCalls, listsBy, scoped } from '../../call.ts'
import { Nullable, Right, stored, Strict, Timestamp, Uuid } from '../../shapes.ts'
import {
  approvalActions,
  approvalSorting,
  approvalStates,
  maxApprovalCommentLength,
} from './approval.rules.ts'
import { CplcText } from '../base/cplc.ts'
import { keyWrappings } from '../card/key.rules.ts'

const Vote = Type.Object({
  /** The id of the user. */
  by: Type.String(),
  isApproved: Type.Boolean(),
  comment: Nullable(Type.String()),
  at: Timestamp,
})

export const Approval = Type.Object({
  id: Type.String(),
  action: Type.Enum(approvalActions),
  /** The subject of the action: the CPLC of an element, or the id of a rollout or an operation. */
  subject: Type.String(),
  /** Further parameters: whether an HSM should keep the keys, the rollout's name, the keys' version. */
  input: Type.Object({
    enable: Type.Optional(Type.Boolean()),
    name: Type.Optional(Type.String()),
    /** Of the transport key under which keys are exported. */
    checkValue: Type.Optional(Type.String()),
    /** The format of the export. Missing in requests of earlier releases: AES-KWP. */
    wrapping: Type.Optional(Type.Enum(keyWrappings)),
    /**
     * If Grove signs for a card: the id of the applet, the action, the domain, and the number of
     * elements.
     */
    applet: Type.Optional(Type.String()),
    kind: Type.Optional(Type.Enum(['install', 'upgrade', 'uninstall'])),
    /** Or the id of the template. */
    template: Type.Optional(Type.String()),
    version: Type.Optional(Type.Integer()),
    /** The first values that are not secret; long ones are truncated. */
    values: Type.Optional(Type.Array(Type.Object({ name: Type.String(), value: Type.String() }))),
    stepCount: Type.Optional(Type.Integer()),
    /** The first of its steps, each before the one that undoes it. */
    steps: Type.Optional(
      Type.Array(
        Type.Object({
          /** Counted from 0. */
          index: Type.Integer(),
          isRollback: Type.Boolean(),
          kind: Type.String(),
          /** The AIDs, choices and bytes in it, and its applet; nothing secret. */
          words: Type.Array(Type.String()),
        }),
      ),
    ),
    /** Several domains are separated by commas. */
    domain: Type.Optional(Type.String()),
    /** A hash of what was approved: nothing else is signed. */
    plan: Type.Optional(Type.String()),
    elements: Type.Optional(Type.Integer()),
    /** The first of these elements. */
    cplcs: Type.Optional(Type.Array(Type.String())),
    /** The installed instances of the applet, unless they all match its package. */
    instances: Type.Optional(
      Type.Array(
        Type.Object({
          aid: Type.String(),
          /** As hex. */
          parameters: Type.Optional(Type.String()),
          privileges: Type.Optional(Type.Array(Type.Enum([...privilegeNames]))),
        }),
      ),
    ),
    /** The commands to sign with a card’s token key. */
    commands: Type.Optional(Type.Array(Type.String())),
  }),
  state: Type.Enum(approvalStates),
  /** How many people must approve it. */
  needed: Type.Integer(),
  votes: Type.Array(Vote),
  /** The id of the requesting user. */
  requestedBy: Type.String(),
  expiresAt: Timestamp,
  /** The job that applies the change, once it is approved. */
  jobId: Nullable(Type.String()),
  rights: Type.Object({
    decide: Right('own_request', 'approval_decided', 'forbidden'),
    withdraw: Right('approval_decided', 'forbidden'),
  }),
  ...stored,
})
export type Approval = Type.Static<typeof Approval>

const query = Strict({ id: Uuid })

const access = scoped('element.secure', 'approval.give')

export const approvalCalls = defineCalls('maple', access, {
  'GET /api/maple/approvals': {
    summary: 'List what people asked to have approved',
    description:
      'An action that nobody takes alone is asked for by its own call, such as POST /api/maple/se/hsm.',
    ...listsBy(Approval, approvalSorting, {
      id: Uuid,
      state: Type.Enum(approvalStates),
      cplc: CplcText,
    }),
  },
  'PUT /api/maple/approvals': {
    summary: 'Approve or refuse what somebody else asked for',
    description:
      'Each person decides once, and nobody decides on their own request. The last approval starts the job; one refusal ends the request.',
    query,
    body: Strict({
      isApproved: Type.Boolean(),
      comment: Type.Optional(Type.String({ maxLength: maxApprovalCommentLength })),
    }),
    ...changes(Approval, 'own_request', 'approval_decided'),
  },
  'DELETE /api/maple/approvals': {
    summary: 'Withdraw a request that is not decided',
    access: { right: 'element.secure', isScoped: true },
    query,
    ...changes(Approval, 'approval_decided'),
  },
})
