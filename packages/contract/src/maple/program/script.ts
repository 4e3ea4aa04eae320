import { Type } from 'typebox'
import { changes, creates, defineCalls, deletes, listsBy, scoped } from '../../call.ts'
import {
  Name,
  Nullable,
  optional,
  SearchText,
  stored,
  Strict,
  Timestamp,
  Uuid,
} from '../../shapes.ts'
import {
  ProgramFailure,
  versionCalls,
  VersionNumber,
  VersionOf,
  type VersionItem,
} from '../../core/program.ts'
import { CplcText } from '../base/cplc.ts'
import { maxHandlerSecrets } from './handler.rules.ts'
import { secretCalls } from './program-secret.ts'
import {
  maxAnswerLength,
  maxInputNameLength,
  maxInputValueLength,
  maxScriptLength,
  maxScriptNameLength,
  maxScriptNoteLength,
  maxDraftElements,
  maxScriptElements,
  maxScriptInputs,
  questionTypes,
  scriptCauses,
  scriptRunDays,
  scriptRunSorting,
  scriptRunStates,
  scriptSearchLimit,
  scriptSecretPattern,
  scriptSorting,
  scriptVersionSorting,
  stepAnswers,
} from './script.rules.ts'

const Code = Type.String({ maxLength: maxScriptLength, examples: ["log('Hello')"] })
const Note = Type.String({ maxLength: maxScriptNoteLength, examples: ['Reads the card'] })

const item = {
  id: Uuid,
  /** The service provider that it belongs to. */
  serviceId: Nullable(Type.String()),
  name: Type.String(),
  note: Type.String(),
  /** The newest version that is published. */
  version: Nullable(Type.Integer()),
  /** Whether the draft differs from that version. */
  isChanged: Type.Boolean(),
  createdBy: Nullable(Type.String()),
  ...stored,
}
const Item = Type.Object(item)
export type ScriptItem = Type.Static<typeof Item>

const Script = Type.Object({ ...item, draft: Type.String() })
export type Script = Type.Static<typeof Script>

const Version = VersionOf({ code: Type.String() })
export type ScriptVersionItem = VersionItem
export type ScriptVersion = Type.Static<typeof Version>

export type ScriptProblem = ProgramFailure

const Cause = Type.Object({
  code: Type.Enum(scriptCauses),
  ...ProgramFailure.properties,
})
export type ScriptRunCause = Type.Static<typeof Cause>

const run = {
  id: Uuid,
  scriptId: Uuid,
  /** Runs that were started together. */
  batchId: Uuid,
  cplc: Type.String(),
  /** Null for a run of the draft. */
  version: Nullable(Type.Integer()),
  state: Type.Enum(scriptRunStates),
  cause: Nullable(Cause),
  /** Turns of the interpreter: the same for the same work on every machine. */
  fuel: Type.Integer(),
  milliseconds: Type.Integer(),
  sessionId: Nullable(Type.String()),
  /** It waits for the person who started it. */
  isAsking: Type.Boolean(),
  replayOf: Nullable(Uuid),
  startedBy: Nullable(Type.String()),
  createdAt: Timestamp,
  startedAt: Nullable(Timestamp),
  finishedAt: Nullable(Timestamp),
}
const RunItem = Type.Object(run)
export type ScriptRunItem = Type.Static<typeof RunItem>

const Question = Type.Object({
  /** Of this run, from 1. */
  number: Type.Integer(),
  type: Type.Enum(questionTypes),
  /** The script's question, or its next call. */
  text: Type.String(),
  until: Timestamp,
  /** Whether the reader started the run: only that person can answer. */
  isYours: Type.Boolean(),
})
export type RunQuestion = Type.Static<typeof Question>

const Run = Type.Object({
  ...run,
  question: Nullable(Question),
  input: Type.Record(Type.String(), Type.String()),
  /** The code of a draft's run; a version has its own. */
  code: Nullable(Type.String()),
  /** The script's value, as JSON text; null while there is none. */
  value: Nullable(Type.String()),
  log: Type.Array(
    Type.Object({
      /** Milliseconds since the start. */
      at: Type.Integer(),
      text: Type.String(),
    }),
  ),
})
export type ScriptRun = Type.Static<typeof Run>

const start = { right: 'program.run', isScoped: true } as const
const ofRun = Strict({ id: Uuid, runId: Uuid })

const values = { name: Name(maxScriptNameLength), note: Note, draft: Code }

const access = scoped('program.read', 'program.change')

export const scriptCalls = defineCalls('maple', access, {
  'GET /api/maple/scripts': {
    summary: 'List the scripts of a service provider',
    description: `A search finds by the beginnings of words of a name, and looks at ${scriptSearchLimit} names.`,
    ...listsBy(Item, scriptSorting, {
      id: Uuid,
      q: SearchText('The beginnings of words of a name'),
    }),
  },
  'POST /api/maple/scripts': {
    summary: 'Create a script',
    body: Strict({ name: values.name, ...optional({ note: values.note, draft: values.draft }) }),
    ...creates(Script, 'already_exists', 'service_suspended'),
  },
  'GET /api/maple/scripts/{id}': { summary: 'Read a script with its draft', response: Script },
  'PUT /api/maple/scripts/{id}': {
    summary: 'Change a script or its draft',
    description: 'The draft may be wrong; only what is published must be JavaScript.',
    body: Strict(optional(values)),
    ...changes(Script, 'already_exists'),
  },
  'DELETE /api/maple/scripts/{id}': {
    summary: 'Delete a script with its versions and runs',
    ...deletes(),
  },
  'POST /api/maple/scripts/check': {
    summary: 'Say whether a text is JavaScript, and what is wrong where',
    access: access.read,
    body: Strict({ code: Code }),
    response: Type.Object({ problem: Nullable(ProgramFailure) }),
    problems: ['limit_reached'],
  },
  ...versionCalls('/api/maple/scripts', {
    of: 'a script',
    content: 'its code',
    version: Version,
    note: Note,
    sorting: scriptVersionSorting,
  }),
  'POST /api/maple/scripts/{id}/run': {
    summary: 'Run a version or the draft on elements',
    description: `Starts a job with a run and a session for each element: up to ${maxScriptElements} of them, ${maxDraftElements} for the draft. Raw commands need \`session.raw\`, installing an applet \`applet.change\`.`,
    access: start,
    body: Strict({
      /** Default: the draft. */
      version: Type.Optional(VersionNumber),
      elements: Type.Array(CplcText, { minItems: 1, maxItems: maxScriptElements }),
      input: Type.Optional(
        Type.Record(
          Type.String({ maxLength: maxInputNameLength }),
          Type.String({ maxLength: maxInputValueLength }),
          { maxProperties: maxScriptInputs, examples: [{}] },
        ),
      ),
      /** The run whose input and element this repeats. */
      replayOf: Type.Optional(Uuid),
      /** Waits before each call of the session until the person releases it; only on one element. */
      isStepped: Type.Optional(Type.Boolean()),
    }),
    ...creates(Type.Object({ batchId: Uuid, items: Type.Array(RunItem) }), 'limit_reached'),
  },
  'GET /api/maple/scripts/{id}/run': {
    summary: 'List the runs of a script, the newest first',
    description: `Runs are kept for ${scriptRunDays} days.`,
    ...listsBy(RunItem, scriptRunSorting, {
      batch: Uuid,
      cplc: CplcText,
      state: Type.Enum(scriptRunStates),
    }),
  },
  'GET /api/maple/scripts/{id}/run/{runId}': {
    summary: 'Read a run with its log, which grows while it runs',
    params: ofRun,
    response: Run,
  },
  'POST /api/maple/scripts/{id}/run/{runId}/answer': {
    summary: 'Answer what a run asks the person who started it',
    description: `A step is answered by \`${stepAnswers.join('` or `')}\`. The answer is not kept.`,
    access: start,
    params: ofRun,
    body: Strict({
      number: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
      value: Type.String({ maxLength: maxAnswerLength, examples: ['next'] }),
    }),
    response: Run,
    problems: ['forbidden'],
  },
  ...secretCalls('/api/maple/scripts', {
    of: 'a script',
    description: `Bytes in hex. A script can put them into the data of STORE DATA, which no log keeps, and cannot read them. A script has at most ${maxHandlerSecrets}.`,
    value: Type.String({ pattern: scriptSecretPattern, examples: ['0102030405060708'] }),
  }),
  'POST /api/maple/scripts/{id}/cancel': {
    summary: 'Cancel the runs that were started together',
    description: 'A command that is on its way is waited for; what was done stays.',
    access: start,
    body: Strict({ batch: Uuid }),
    response: Type.Object({ cancelled: Type.Integer() }),
  },
})
