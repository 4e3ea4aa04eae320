import { aidPattern } from '@grove/secure-element/aid'
import { overTheCard, privilegeNames } from '@grove/secure-element/privileges'
import { Type } from 'typebox'
import { creates, defineCalls, listsBy, scoped } from '../../call.ts'
import { Nullable, optional, Right, Strict, Timestamp, Uuid } from '../../shapes.ts'
import {
  findingCodes,
  findingSeverities,
  maxParametersLength,
  maxInstances,
  maxMemory,
  maxPreflight,
  maxTargets,
  maxTokenLength,
  maxTokens,
  operationKinds,
  operationSorting,
  operationSteps,
  targetSorting,
  targetStates,
} from './applet-operation.rules.ts'
import { approvalStates } from '../access/approval.rules.ts'
import { CplcText } from '../base/cplc.ts'
import { profileIdPattern } from '../fleet/element.rules.ts'

const Aid = Type.String({ pattern: aidPattern, examples: ['D2760000850101'] })

const Finding = Type.Object({
  code: Type.Enum(findingCodes),
  severity: Type.Enum(findingSeverities),
  message: Type.String(),
  /** The values in the message, for a client's own text. */
  params: Type.Record(Type.String(), Type.String()),
})
export type AppletFinding = Type.Static<typeof Finding>

const Instance = Strict({
  moduleAid: Aid,
  /** The AID of the instance; default: that of the applet. */
  instanceAid: Type.Optional(Aid),
  privileges: Type.Optional(
    Type.Array(Type.Enum([...privilegeNames]), { maxItems: privilegeNames.length }),
  ),
  /** Install parameters, as hex. */
  parameters: Type.Optional(
    Type.String({ pattern: `^([0-9A-Fa-f]{2}){0,${maxParametersLength}}$`, examples: ['C0FFEE'] }),
  ),
  /** Memory that the element sets aside, in bytes. */
  volatile: Type.Optional(Type.Integer({ minimum: 0, maximum: maxMemory })),
  nonVolatile: Type.Optional(Type.Integer({ minimum: 0, maximum: maxMemory })),
  isSelectable: Type.Optional(Type.Boolean({ default: true })),
})
export type AppletInstance = Type.Static<typeof Instance>

const instances = Type.Array(Instance, { maxItems: maxInstances })
const plan = {
  kind: Type.Enum(operationKinds),
  /** Default: those of the package, unchanged. */
  instances: Type.Optional(instances),
}
/** Default: the issuer's domain. The domain's keys open its channel. */
const domain = Type.Optional(Aid)

const Hex = Type.String({
  pattern: '^([0-9A-Fa-f]{2})+$',
  maxLength: maxTokenLength,
  examples: ['80E60200'],
})
const Token = Strict({
  /** The command without its token, as a pre-flight lists it. */
  command: Hex,
  token: Hex,
})

/** Elements by their CPLCs, or every element of a profile. */
const targets = (most: number) =>
  optional({
    elements: Type.Array(CplcText, { minItems: 1, maxItems: most }),
    profile: Type.String({ pattern: profileIdPattern }),
  })

const Operation = Type.Object({
  id: Uuid,
  kind: Type.Enum(operationKinds),
  applet: Type.Object({ id: Uuid, name: Type.String(), version: Type.String() }),
  state: Type.Enum(['queued', 'running', 'completed', 'failed', 'cancelled']),
  total: Type.Integer(),
  succeeded: Type.Integer(),
  unchanged: Type.Integer(),
  /** Refused, failed and unknown. */
  failed: Type.Integer(),
  /** The security domain in whose name it runs; null for the issuer's. */
  domain: Nullable(Type.String()),
  /** Set if Grove signs tokens or load files: another person approves that first. */
  approval: Nullable(Type.Object({ id: Type.String(), state: Type.Enum(approvalStates) })),
  createdBy: Nullable(Type.String()),
  createdAt: Timestamp,
  rights: Type.Object({ cancel: Right('job_finished'), retry: Right('job_not_finished') }),
})
export type AppletOperation = Type.Static<typeof Operation>

const Target = Type.Object({
  cplc: Type.String(),
  state: Type.Enum(targetStates),
  step: Nullable(Type.Enum(operationSteps)),
  /** Blocks of the load file. */
  sent: Type.Integer(),
  blocks: Type.Integer(),
  findings: Type.Array(Finding),
  sessionId: Nullable(Type.String()),
  startedAt: Nullable(Timestamp),
  finishedAt: Nullable(Timestamp),
})
export type AppletTarget = Type.Static<typeof Target>

const Preflight = Type.Object({
  cplc: Type.String(),
  isVirtual: Type.Boolean(),
  /** When the card was last read; null for one that never was. */
  readAt: Nullable(Timestamp),
  /** The commands for which the card needs tokens, as hex; only with a `domain`. */
  commands: Type.Array(Type.String()),
  findings: Type.Array(Finding),
})
export type AppletPreflight = Type.Static<typeof Preflight>

const access = scoped('applet.read', 'applet.change')

export const appletOperationCalls = defineCalls('maple', access, {
  'POST /api/maple/applets/{id}/preflight': {
    summary: 'Say what elements would refuse, and why',
    description: `From what Grove knows; an operation of the kind \`read\` reads the cards first. Looks at ${maxPreflight} elements at most.`,
    access: access.read,
    body: Strict({ ...plan, ...targets(maxPreflight), domain }),
    response: Type.Object({
      items: Type.Array(Preflight),
      /** A profile has more elements than were looked at. */
      isTruncated: Type.Boolean(),
    }),
  },
  'GET /api/maple/applets/operation': {
    summary: 'List what was done with applets, the newest first',
    ...listsBy(Operation, operationSorting, { id: Uuid, applet: Uuid }),
  },
  'POST /api/maple/applets/{id}/operation': {
    summary: 'Install, upgrade, uninstall or read an applet on elements',
    description: `Starts a job for up to ${maxTargets} elements, one session each. An upgrade deletes the old instances with their data. What a card has already is left as it is. Privileges over the whole card (${[...overTheCard].join(', ')}) need the right \`element.secure\` and \`grantsCardPrivileges\`. In the name of a domain with delegated management each command has a token: one of \`tokens\`, or one that Grove signs once somebody else has approved the operation. What the card confirms with receipts is among the findings.`,
    body: Strict({
      ...plan,
      ...targets(maxTargets),
      domain,
      /** Made by whoever has the card’s token key, such as another Grove. */
      tokens: Type.Optional(Type.Array(Token, { maxItems: maxTokens })),
      /**
       * The domain that verifies the load file, with its key in Grove or a signature in the CAP file.
       */
      dapDomainAid: Type.Optional(Aid),
      /** Agrees that an applet gets privileges with which it locks, ends or empties a card. */
      grantsCardPrivileges: Type.Optional(Type.Boolean()),
    }),
    ...creates(Operation, 'applet_revoked', 'limit_reached'),
  },
  'GET /api/maple/applets/operation/{id}/target': {
    summary: 'List the elements of an operation with what came of each',
    ...listsBy(Target, targetSorting, {}),
  },
  'POST /api/maple/applets/operation/{id}/cancel': {
    summary: 'Cancel an operation after the element that it is at',
    response: Operation,
    problems: ['job_finished'],
  },
  'POST /api/maple/applets/operation/{id}/retry': {
    summary: 'Run an operation again for the elements that it did not succeed at',
    description: 'Each card is read first, so that nothing is loaded twice.',
    response: Operation,
    problems: ['job_not_finished', 'applet_revoked'],
  },
})
