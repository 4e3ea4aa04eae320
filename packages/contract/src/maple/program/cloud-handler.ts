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
import { ProgramFailure } from '../../core/program.ts'
import { secretCalls } from './program-secret.ts'
import {
  handlerEvents,
  handlerLimits,
  handlerNameLimit,
  handlerRunSorting,
  handlerRunSources,
  handlerRunStates,
  handlerSorting,
  handlerStates,
  hookProofs,
  hostPattern,
  maxHandlerCodeLength,
  maxHandlerSecretLength,
  maxHostLength,
  matchPathPattern,
  maxHandlers,
  maxHandlerSecrets,
  maxHosts,
  maxMatches,
  maxMessageKinds,
  maxResent,
  shownVersions,
  watchedRuns,
} from './handler.rules.ts'

const Match = Strict({
  path: Type.String({ pattern: matchPathPattern, maxLength: 200, examples: ['after.state'] }),
  value: Type.Union([Type.String({ maxLength: 200 }), Type.Number(), Type.Boolean(), Type.Null()]),
})

const Trigger = Type.Union(
  [
    Strict({
      type: Type.Literal('event'),
      events: Type.Array(Type.Enum(handlerEvents), {
        minItems: 1,
        maxItems: handlerEvents.length,
        uniqueItems: true,
      }),
      /** Filters device messages by kind; empty: every kind. */
      kinds: Type.Array(Type.String({ minLength: 1, maxLength: 40 }), {
        maxItems: maxMessageKinds,
        uniqueItems: true,
      }),
      /** Fields that the event must have, all of them. */
      match: Type.Array(Match, { maxItems: maxMatches }),
    }),
    Strict({
      type: Type.Literal('schedule'),
      /** Five fields: minute, hour, day, month, weekday. */
      cron: Type.String({ minLength: 9, maxLength: 100, examples: ['0 6 * * 1-5'] }),
      /** Of the IANA database. */
      zone: Type.String({ minLength: 1, maxLength: 60, examples: ['Europe/Berlin'] }),
    }),
    Strict({ type: Type.Literal('webhook'), proof: Type.Enum(hookProofs) }),
  ],
  { examples: [{ type: 'webhook', proof: 'token' }] },
)
export type HandlerTrigger = Type.Static<typeof Trigger>

const amount = ({ least, most }: { least: number; most: number }) =>
  Type.Integer({ minimum: least, maximum: most })
const Limits = Strict({
  milliseconds: amount(handlerLimits.milliseconds),
  calls: amount(handlerLimits.calls),
  kilobytes: amount(handlerLimits.kilobytes),
  attempts: amount(handlerLimits.attempts),
})

/** The stored data of a version. */
const program = {
  trigger: Trigger,
  code: Type.String({ maxLength: maxHandlerCodeLength }),
  hosts: Type.Array(
    Type.String({ pattern: hostPattern, maxLength: maxHostLength, examples: ['api.example.com'] }),
    { maxItems: maxHosts, uniqueItems: true },
  ),
  limits: Limits,
}
export type HandlerProgram = {
  [K in keyof typeof program]: Type.Static<(typeof program)[K]>
}

const Handler = Type.Object({
  id: Uuid,
  name: Type.String(),
  serviceId: Nullable(Type.String()),
  state: Type.Enum(handlerStates),
  /** Of the draft. */
  trigger: Trigger,
  /** The draft differs from the deployed version. */
  isChanged: Type.Boolean(),
  deployed: Nullable(
    Type.Object({
      version: Type.Integer(),
      trigger: Trigger,
      at: Timestamp,
      by: Nullable(Type.String()),
    }),
  ),
  /** Of a schedule. */
  nextAt: Nullable(Timestamp),
  lastRunAt: Nullable(Timestamp),
  /** Deliveries that failed since the last that succeeded. */
  failures: Type.Integer(),
  /** Too many deliveries are waiting, so further events are dropped. */
  isFull: Type.Boolean(),
  createdBy: Nullable(Type.String()),
  rights: Type.Object({
    /** Also deploy, and set secrets. */
    change: Right('forbidden'),
    /** Test, and send again. */
    run: Right('forbidden'),
  }),
  ...stored,
})
export type CloudHandler = Type.Static<typeof Handler>

const OpenHandler = Type.Object({
  ...Handler.properties,
  code: program.code,
  hosts: program.hosts,
  limits: Limits,
  /** Where a webhook is sent to. */
  hookPath: Type.String(),
  hasHookSecret: Type.Boolean(),
})
export type OpenCloudHandler = Type.Static<typeof OpenHandler>

const Version = Type.Object({
  version: Type.Integer(),
  sha256: Type.String(),
  isDeployed: Type.Boolean(),
  /** The version that it brings back. */
  of: Nullable(Type.Integer()),
  createdBy: Nullable(Type.String()),
  createdAt: Timestamp,
})
export type HandlerVersion = Type.Static<typeof Version>

const Run = Type.Object({
  /** The same at every attempt: receivers recognise repeats by it. */
  id: Uuid,
  handlerId: Uuid,
  source: Type.Enum(handlerRunSources),
  type: Type.String(),
  /** The device that the event is about; null if there is none or the event does not say. */
  device: Nullable(
    Type.Object({
      id: Type.String(),
      /** Null if the service provider no longer has the device. */
      name: Nullable(Type.String()),
    }),
  ),
  state: Type.Enum(handlerRunStates),
  /** The version of the last attempt; null for a draft. */
  version: Nullable(Type.Integer()),
  attempts: Type.Integer(),
  mostAttempts: Type.Integer(),
  /** When the next attempt is due. */
  dueAt: Nullable(Timestamp),
  error: Nullable(ProgramFailure),
  milliseconds: Nullable(Type.Integer()),
  /** Requests of the last attempt. */
  calls: Type.Integer(),
  createdAt: Timestamp,
  finishedAt: Nullable(Timestamp),
})
export type HandlerRun = Type.Static<typeof Run>

const LogLine = Type.Object({
  id: Type.Integer(),
  attempt: Type.Integer(),
  at: Timestamp,
  level: Type.Enum(['info', 'warn', 'error', 'fetch']),
  text: Type.String(),
})
export type HandlerLogLine = Type.Static<typeof LogLine>

const OpenRun = Type.Object({
  ...Run.properties,
  event: Type.Unknown(),
  /** The program's result. */
  result: Type.Unknown(),
  log: Type.Array(LogLine),
})
export type OpenHandlerRun = Type.Static<typeof OpenRun>

const run = { right: 'program.run', isScoped: true } as const
const runParams = Strict({ id: Uuid, runId: Uuid })

const draft = { name: Name(handlerNameLimit), ...program }

const access = scoped('program.read', 'program.change')

export const cloudHandlerCalls = defineCalls('maple', access, {
  'GET /api/maple/cloud_handlers': {
    summary: 'List cloud handlers',
    ...listsBy(Handler, handlerSorting, {
      id: Uuid,
      q: SearchText('The beginnings of words of a name'),
      state: Type.Enum(handlerStates),
    }),
  },
  'POST /api/maple/cloud_handlers': {
    summary: 'Create a cloud handler',
    description: `It is a draft until it is deployed. A service provider has at most ${maxHandlers}.`,
    body: Strict({
      name: draft.name,
      trigger: Trigger,
      ...optional({ code: program.code, hosts: program.hosts, limits: Limits }),
    }),
    ...creates(OpenHandler, 'limit_reached', 'service_suspended'),
  },
  'GET /api/maple/cloud_handlers/{id}': {
    summary: 'Read a cloud handler with its draft',
    response: OpenHandler,
  },
  'PUT /api/maple/cloud_handlers/{id}': {
    summary: 'Change the draft of a cloud handler, or disable it',
    description:
      'What is deployed stays as it is until the next deployment. A disabled handler takes no deliveries; those that wait run when it is enabled again.',
    body: Strict({ ...optional(draft), isDisabled: Type.Optional(Type.Boolean()) }),
    ...changes(OpenHandler),
  },
  'DELETE /api/maple/cloud_handlers/{id}': {
    summary: 'Delete a cloud handler with its versions, secrets and runs',
    ...deletes(),
  },
  'GET /api/maple/cloud_handlers/{id}/version': {
    summary: 'List the versions of a cloud handler',
    description: `The newest ${shownVersions}.`,
    response: Type.Object({ items: Type.Array(Version) }),
  },
  'GET /api/maple/cloud_handlers/{id}/version/{version}': {
    summary: 'Read a version of a cloud handler',
    params: Strict({ id: Uuid, version: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }) }),
    response: Type.Object({ ...Version.properties, ...program }),
  },
  'POST /api/maple/cloud_handlers/{id}/deploy': {
    summary: 'Deploy the draft of a cloud handler, or roll back to a version',
    description:
      'A deployment makes a new version that nothing changes later. With `version`, the new one is a copy of that one, and the draft stays.',
    body: Strict(optional({ version: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }) })),
    ...changes(OpenHandler),
  },
  ...secretCalls('/api/maple/cloud_handlers', {
    of: 'a cloud handler',
    description: `Code can put it into headers of requests to the hosts of the handler, and cannot read it. A handler has at most ${maxHandlerSecrets}.`,
    value: Type.String({
      minLength: 1,
      maxLength: maxHandlerSecretLength,
      // What a header may have.
      pattern: '^[!-~]([ -~]*[!-~])?$',
      examples: ['4f9c2d81'],
    }),
  }),
  'POST /api/maple/cloud_handlers/{id}/hookSecret': {
    summary: 'Make a secret for the webhook of a cloud handler',
    description: 'The answer has it, this once. The one before stops working.',
    response: Type.Object({ path: Type.String(), secret: Type.String() }),
    status: 201,
    problems: ['vault_unavailable'],
  },
  'POST /api/maple/cloud_handlers/{id}/test': {
    summary: 'Run the draft of a cloud handler once',
    description:
      'With the event of a past run, or one that is given. It makes its requests for real; `event.isTest` says that it is a test. It is not tried again.',
    access: run,
    body: Strict(
      optional({
        runId: Uuid,
        event: Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), { examples: [{}] }),
      }),
    ),
    response: Run,
    status: 201,
    problems: ['limit_reached'],
  },
  'GET /api/maple/cloud_handlers/{id}/run': {
    summary: 'List the runs of a cloud handler, the newest first',
    ...listsBy(Run, handlerRunSorting, { state: Type.Enum(handlerRunStates) }),
  },
  'GET /api/maple/cloud_handlers/{id}/run/{runId}': {
    summary: 'Read a run with its event and log',
    params: runParams,
    response: OpenRun,
  },
  'GET /api/maple/cloud_handlers/{id}/run/{runId}/stream': {
    summary: 'Watch a run',
    description:
      'Server-sent events: `line` of the log with its number as id, `run` when its state changes, `end` as the last. `Last-Event-ID` or `after` continues behind a line.',
    params: runParams,
    query: Strict({ after: Type.Optional(Type.Integer({ minimum: 0 })) }),
    response: Type.Any(),
    produces: 'text/event-stream',
  },
  'GET /api/maple/cloud_handlers/{id}/stream': {
    summary: 'Watch the runs of a cloud handler',
    description: `Server-sent events: \`run\` for each of the newest ${watchedRuns} runs, and again when one changes.`,
    response: Type.Any(),
    produces: 'text/event-stream',
  },
  'POST /api/maple/cloud_handlers/{id}/resend': {
    summary: 'Send dead letters of a cloud handler again',
    description: `The run that is named, or all that are dead: at most ${maxResent} at once. They keep their ids.`,
    access: run,
    body: Strict(optional({ runId: Uuid })),
    response: Type.Object({ count: Type.Integer() }),
  },
})
