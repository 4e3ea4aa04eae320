import { Type } from 'typebox'
import { changes, creates, defineCalls, deletes, listsBy, scoped } from '../../call.ts'
import {
  Name,
  Nullable,
  optional,
  Right,
  SearchText,
  stored,
  Strict,
  Timestamp,
  Uuid,
} from '../../shapes.ts'
import { approvalStates } from '../access/approval.rules.ts'
import { CplcText } from '../base/cplc.ts'
import { Exchange } from '../card/session.ts'
import { DryRunFaults } from '../card/software-card.ts'
import { cardKinds } from '../card/software-card.rules.ts'
import {
  maxStepTitleLength,
  maxTemplateNameLength,
  maxTemplateTextLength,
  maxChoices,
  maxParameters,
  maxRunElements,
  maxStatusWords,
  maxSteps,
  templateRunSorting,
  templateSearchLimit,
  templateSorting,
  templateStates,
  templateTargetSorting,
  templateVersionSorting,
} from './template.rules.ts'
import { stepKinds, type StepKind } from './template-step.rules.ts'
import { maxParameterValueLength, parameterTypes } from './template-parameter.rules.ts'
import { causeCodes, receiptCodes, stepStates, templateTargetStates } from './template-run.rules.ts'

const ShortText = Type.String({ maxLength: maxTemplateTextLength })
const ValueText = Type.String({ maxLength: maxParameterValueLength })

const Parameter = Strict({
  name: Type.String({ maxLength: 40, examples: ['aid'] }),
  type: Type.Enum(parameterTypes),
  label: Type.Optional(Type.String({ maxLength: 100 })),
  isRequired: Type.Optional(Type.Boolean()),
  default: Type.Optional(ValueText),
  /** Of a `choice`. */
  choices: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: maxChoices })),
  /** Its value is never shown again, nor stored in a log. */
  isSecret: Type.Optional(Type.Boolean()),
})

const action = {
  kind: Type.Unsafe<StepKind>(Type.Enum([...stepKinds])),
  /** Each text is a literal, with `{{parameter}}` in it or not. */
  values: Type.Record(Type.String({ maxLength: 40 }), Type.Unknown(), { examples: [{}] }),
}

const Step = Strict({
  ...action,
  title: Type.Optional(Type.String({ maxLength: maxStepTitleLength })),
  /** Accepted status words; default 9000. */
  expect: Type.Optional(
    Type.Array(Type.String({ maxLength: 4, examples: ['9000'] }), { maxItems: maxStatusWords }),
  ),
  /** Bytes in hex that the reply has somewhere. */
  contains: Type.Optional(ValueText),
  rollback: Type.Optional(Strict(action)),
})

const content = {
  parameters: Type.Array(Parameter, { maxItems: maxParameters, examples: [[]] }),
  steps: Type.Array(Step, { maxItems: maxSteps, examples: [[]] }),
}

const item = {
  id: Uuid,
  serviceId: Nullable(Type.String()),
  name: Type.String(),
  about: Type.String(),
  state: Type.Enum(templateStates),
  /** Of the draft. */
  stepCount: Type.Integer(),
  /** The newest version that is published. */
  version: Nullable(Type.Integer()),
  /** Whether the draft differs from that version. */
  isChanged: Type.Boolean(),
  createdBy: Nullable(Type.String()),
  ...stored,
  rights: Type.Object({
    deprecate: Right('transition_refused'),
    restore: Right('transition_refused'),
    run: Right('transition_refused'),
  }),
}
const Item = Type.Object(item)
export type TemplateItem = Type.Static<typeof Item>
/** The edited draft; published versions never change. */
const Template = Type.Object({ ...item, ...content })
export type Template = Type.Static<typeof Template>

const Version = Type.Object({
  number: Type.Integer(),
  ...content,
  sha256: Type.String(),
  note: Type.String(),
  publishedBy: Nullable(Type.String()),
  publishedAt: Timestamp,
})
export type TemplateVersion = Type.Static<typeof Version>

/** Why a step failed: a code with the values of its text, and the text in English. */
const Cause = Type.Object({
  code: Type.Enum(causeCodes),
  message: Type.String(),
  params: Type.Record(Type.String(), Type.String()),
})
export type TemplateCause = Type.Static<typeof Cause>

const ran = {
  state: Type.Enum(templateTargetStates),
  /** The step that failed, counted from 0. */
  step: Nullable(Type.Integer()),
  cause: Nullable(Cause),
  /** After a failure: how many steps were undone, and why the first could not be. */
  rollback: Nullable(
    Type.Object({ done: Type.Integer(), total: Type.Integer(), cause: Nullable(Cause) }),
  ),
}

/** What a card's receipt proves about a step authorised by a token. */
const StepReceipt = Type.Object({
  /** Counted from 0. */
  step: Type.Integer(),
  code: Type.Enum(receiptCodes),
  message: Type.String(),
  params: Type.Record(Type.String(), Type.String()),
})
export type StepReceipt = Type.Static<typeof StepReceipt>

const DryRun = Type.Object({
  ...ran,
  /** In the order that they ran. */
  steps: Type.Array(
    Type.Object({
      index: Type.Integer(),
      isRollback: Type.Boolean(),
      state: Type.Enum(stepStates),
      cause: Nullable(Cause),
      exchanges: Type.Array(Exchange),
    }),
  ),
})
export type TemplateDryRun = Type.Static<typeof DryRun>

const Run = Type.Object({
  id: Uuid,
  template: Type.Object({ id: Uuid, name: Type.String() }),
  version: Type.Integer(),
  /** Without the values of secret parameters. */
  input: Type.Record(Type.String(), Type.String()),
  state: Type.Enum(['queued', 'running', 'completed', 'failed', 'cancelled']),
  total: Type.Integer(),
  succeeded: Type.Integer(),
  failed: Type.Integer(),
  /** Set if Grove signs tokens for a run: another person approves it before it starts. */
  approval: Nullable(Type.Object({ id: Type.String(), state: Type.Enum(approvalStates) })),
  createdBy: Nullable(Type.String()),
  createdAt: Timestamp,
  rights: Type.Object({ cancel: Right('job_finished') }),
})
export type TemplateRun = Type.Static<typeof Run>

const Target = Type.Object({
  cplc: Type.String(),
  ...ran,
  receipts: Type.Array(StepReceipt),
  sessionId: Nullable(Type.String()),
  startedAt: Nullable(Timestamp),
  finishedAt: Nullable(Timestamp),
})
export type TemplateTarget = Type.Static<typeof Target>

const running = { right: 'program.run', isScoped: true } as const
const query = Strict({ id: Uuid })
const name = Name(maxTemplateNameLength)
/** The values of parameters. */
const input = Type.Array(
  Strict({ name: Type.String({ maxLength: 40 }), value: Type.Union([ValueText, Type.Number()]) }),
  { maxItems: maxParameters },
)

const access = scoped('program.read', 'program.change')

export const templateCalls = defineCalls('maple', access, {
  'GET /api/maple/templates': {
    summary: 'List templates',
    description: `A search finds by the beginnings of words of a name and looks at the first ${templateSearchLimit}.`,
    ...listsBy(Item, templateSorting, {
      id: Uuid,
      state: Type.Enum(templateStates),
      q: SearchText('The beginnings of words of a name'),
    }),
  },
  'GET /api/maple/templates/{id}': {
    summary: 'Read a template with its draft',
    response: Template,
  },
  'POST /api/maple/templates': {
    summary: 'Make a template',
    description: 'A draft may have mistakes; a version that is published has none.',
    body: Strict({ name, about: Type.Optional(ShortText), ...optional(content) }),
    ...creates(Template, 'limit_reached', 'service_suspended', 'service_in_use'),
  },
  'PUT /api/maple/templates': {
    summary: 'Change the draft of a template',
    query,
    body: Strict(optional({ name, about: ShortText, ...content })),
    ...changes(Template, 'limit_reached'),
  },
  'DELETE /api/maple/templates': {
    summary: 'Delete a template with its versions and runs',
    query,
    ...deletes(),
  },
  'GET /api/maple/templates/{id}/version': {
    summary: 'List the published versions of a template, the newest first',
    ...listsBy(Version, templateVersionSorting, {}),
  },
  'POST /api/maple/templates/{id}/version': {
    summary: 'Publish the draft, or an earlier version again',
    description:
      'A version has a number and never changes. Mistakes are answered with the step and the field of each, such as `steps.2.values.aid`.',
    body: Strict({
      note: Type.Optional(ShortText),
      /** Publishes this version again, under a new number, and makes it the draft. */
      from: Type.Optional(Type.Integer({ minimum: 1 })),
    }),
    ...creates(Version, 'edit_conflict', 'transition_refused'),
  },
  'POST /api/maple/templates/{id}/state': {
    summary: 'Deprecate a template, or take that back',
    description: 'Nobody can run a deprecated one.',
    body: Strict({ state: Type.Enum(['published', 'deprecated']) }),
    ...changes(Template, 'transition_refused'),
  },
  'POST /api/maple/templates/dry_run': {
    summary: 'Run steps on a software card that is thrown away',
    description:
      'On a new card of a kind, on a copy of a software card, or on one of its snapshots. Nothing is stored, and no tokens are made.',
    access: running,
    body: Strict({
      ...content,
      input: Type.Optional(input),
      card: Type.Optional(
        Strict(
          optional({
            kind: Type.Enum(cardKinds),
            /** The CPLC of a software card. */
            id: CplcText,
            snapshotId: Uuid,
            /** Breaks the card on purpose. */
            faults: DryRunFaults,
          }),
        ),
      ),
    }),
    response: DryRun,
    problems: ['not_found', 'vault_unavailable', 'file_damaged', 'limit_reached'],
  },
  'POST /api/maple/templates/{id}/run': {
    summary: 'Run a published version on elements',
    description: `Starts a job for up to ${maxRunElements} elements, one session each. A command that gets no definite answer ends its element: nothing is repeated or undone. Steps with raw bytes need the right \`session.raw\` of whoever starts it. Steps in the name of a domain with delegated management carry tokens that Grove signs once somebody else has approved the run; raw bytes are never signed.`,
    access: running,
    body: Strict({
      /** Default: the newest. */
      version: Type.Optional(Type.Integer({ minimum: 1 })),
      elements: Type.Array(CplcText, { minItems: 1, maxItems: maxRunElements }),
      input: Type.Optional(input),
    }),
    ...creates(Run, 'transition_refused', 'token_key_missing'),
  },
  'GET /api/maple/templates/run': {
    summary: 'List runs of templates, the newest first',
    ...listsBy(Run, templateRunSorting, { id: Uuid, template: Uuid }),
  },
  'GET /api/maple/templates/run/{id}/target': {
    summary: 'List the elements of a run with what came of each',
    ...listsBy(Target, templateTargetSorting, {}),
  },
  'POST /api/maple/templates/run/{id}/cancel': {
    summary: 'Cancel a run after the elements that it is at',
    access: running,
    response: Run,
    problems: ['job_finished'],
  },
})
