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
import { deviceFilters } from '../fleet/device.ts'
import { deviceIdPattern } from '../fleet/device.rules.ts'
import { CplcText } from '../base/cplc.ts'
import {
  executionSorting,
  executionStates,
  groupSizings,
  groupStates,
  maxCauseLength,
  maxRolloutNameLength,
  maxRunMinutes,
  maxStartHours,
  maxAtOnce,
  maxCanaries,
  maxChosen,
  maxGroups,
  maxPerMinute,
  pauseReasons,
  programKinds,
  resumeChoices,
  retriedStates,
  rolloutSorting,
  rolloutStates,
  timePattern,
  usualAtOnce,
  zoneAttribute,
} from './rollout.rules.ts'

const DeviceId = Type.String({ pattern: deviceIdPattern })
const Time = Type.String({ pattern: timePattern, examples: ['22:30'] })
const Percent = Type.Integer({ minimum: 0, maximum: 100 })

const Program = Strict({
  kind: Type.Enum(programKinds),
  /** The applet, the version of the template or script, or the image. */
  id: Uuid,
  /**
   * The program's input; for an applet its `action`, `instances` and the security `domain` in whose
   * name it runs; empty for an image.
   */
  input: Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), {
    maxProperties: 50,
    examples: [{ action: 'install' }],
  }),
})

/** Devices of a filter, or devices by their ids. */
const targets = {
  filter: Type.Optional(Strict(deviceFilters)),
  devices: Type.Optional(Type.Array(DeviceId, { minItems: 1, maxItems: maxChosen })),
  /** Until then devices that the filter finds later join the last group. */
  joinUntil: Type.Optional(Nullable(Timestamp)),
}

const thresholds = {
  success: Percent,
  errorShare: Percent,
  errorMinimum: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  mostErrors: Nullable(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
}

const groupPlan = {
  by: Type.Enum(groupSizings),
  amount: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
  ...thresholds,
  /** A person starts the next group. */
  pausesAfter: Type.Boolean(),
}

const Window = Strict({
  from: Time,
  to: Time,
  /** An IANA time zone. */
  zone: Type.String({ minLength: 1, maxLength: 64, examples: ['Europe/Paris'] }),
})

const plan = {
  /** Software cards that get it first, as a separate group. */
  canaries: Type.Array(CplcText, { maxItems: maxCanaries }),
  groups: Type.Array(Strict(groupPlan), { minItems: 1, maxItems: maxGroups - 1 }),
  /** Maximum devices that start per minute; null for no limit. */
  perMinute: Nullable(Type.Integer({ minimum: 1, maximum: maxPerMinute })),
  atOnce: Type.Integer({ minimum: 1, maximum: maxAtOnce, default: usualAtOnce }),
  /** Hours of a day, in the zone of each device that has one, or else in this zone. */
  window: Nullable(Window),
  /** Time limit per device. */
  runMinutes: Type.Integer({ minimum: 1, maximum: maxRunMinutes }),
  /** How long a group waits for devices that are away. */
  startHours: Type.Integer({ minimum: 1, maximum: maxStartHours }),
  /** Not before this time; null to start immediately. */
  startsAt: Nullable(Timestamp),
}
const Plan = Strict(plan)

const counts = {
  total: Type.Integer(),
  queued: Type.Integer(),
  running: Type.Integer(),
  succeeded: Type.Integer(),
  failed: Type.Integer(),
  timedOut: Type.Integer(),
  cancelled: Type.Integer(),
  skipped: Type.Integer(),
}

const Group = Type.Object({
  number: Type.Integer(),
  isCanary: Type.Boolean(),
  state: Type.Enum(groupStates),
  ...thresholds,
  pausesAfter: Type.Boolean(),
  /** Its failures were accepted. */
  isTolerant: Type.Boolean(),
  ...counts,
  startedAt: Nullable(Timestamp),
  endedAt: Nullable(Timestamp),
})
export type RolloutGroup = Type.Static<typeof Group>

const Rollout = Type.Object({
  id: Uuid,
  name: Type.String(),
  program: Type.Object({
    kind: Type.Enum(programKinds),
    id: Uuid,
    name: Type.String(),
    version: Type.String(),
    input: Type.Record(Type.String(), Type.Unknown()),
  }),
  /** The rollout that this one rolls back. */
  rollsBack: Nullable(Uuid),
  /** The rollout whose failures this one retries: all of them, or those of one state and cause. */
  retries: Nullable(
    Type.Object({
      id: Uuid,
      /** Null once that rollout is deleted. */
      name: Nullable(Type.String()),
      state: Nullable(Type.Enum(retriedStates)),
      cause: Nullable(Type.String()),
      /** Devices that failed so there. */
      count: Type.Integer(),
    }),
  ),
  targets: Type.Object(targets),
  plan: Type.Object(plan),
  state: Type.Enum(rolloutStates),
  pauseReason: Nullable(Type.Enum(pauseReasons)),
  /** Its devices are known and assigned to groups. */
  isPrepared: Type.Boolean(),
  groups: Type.Array(Group),
  approvalId: Nullable(Uuid),
  serviceId: Nullable(Type.String()),
  createdBy: Nullable(Type.String()),
  startedAt: Nullable(Timestamp),
  endedAt: Nullable(Timestamp),
  rights: Type.Object({
    change: Right('transition_refused'),
    start: Right('transition_refused'),
    pause: Right('transition_refused'),
    resume: Right('transition_refused'),
    next: Right('transition_refused'),
    stop: Right('transition_refused'),
    rollBack: Right('transition_refused', 'no_way_back'),
    retry: Right('transition_refused'),
    delete: Right('transition_refused'),
  }),
  ...stored,
})
export type Rollout = Type.Static<typeof Rollout>
export type RolloutPlan = Rollout['plan']
export type RolloutTargets = Rollout['targets']

const Execution = Type.Object({
  deviceId: Type.String(),
  deviceName: Nullable(Type.String()),
  group: Nullable(Type.Integer()),
  state: Type.Enum(executionStates),
  /**
   * A code with its values, or a message of the program; for a success what the card's receipts
   * prove, or null.
   */
  cause: Nullable(Type.String()),
  sessionId: Nullable(Type.String()),
  attempts: Type.Integer(),
  startedAt: Nullable(Timestamp),
  endedAt: Nullable(Timestamp),
})
export type RolloutExecution = Type.Static<typeof Execution>

const Cause = Type.Object({
  cause: Type.String(),
  state: Type.Enum(executionStates),
  count: Type.Integer(),
  groups: Type.Array(Type.Integer()),
})
export type RolloutCause = Type.Static<typeof Cause>

const Policy = Type.Object({
  needsApproval: Type.Boolean(),
  rights: Type.Object({ change: Right('forbidden') }),
})
export type RolloutPolicy = Type.Static<typeof Policy>

const query = Strict({ id: Uuid })
const given = {
  name: Name(maxRolloutNameLength),
  program: Program,
  targets: Strict(targets),
  plan: Plan,
}
const moves = <const Code extends 'service_suspended' | 'no_way_back' | 'token_key_missing'>(
  ...codes: Code[]
) => ({
  response: Rollout,
  problems: ['transition_refused', ...codes] as const,
})
const access = scoped('rollout.read', 'rollout.run')

export const rolloutCalls = defineCalls('maple', access, {
  'GET /api/maple/rollouts': {
    summary: 'List rollouts, the newest first',
    ...listsBy(Rollout, rolloutSorting, {
      id: Uuid,
      state: Type.Enum(rolloutStates),
      kind: Type.Enum(programKinds),
      /** Those that retry what failed in this rollout. */
      retries: Uuid,
      q: SearchText('The beginnings of words of a name'),
    }),
  },
  'GET /api/maple/rollouts/{id}': { summary: 'Read a rollout with its groups', response: Rollout },
  'GET /api/maple/rollouts/count': {
    summary: 'Count the devices that a rollout would find',
    description: 'Retired and quarantined devices get no program.',
    query: Strict(deviceFilters),
    response: Type.Object({ count: Type.Integer() }),
  },
  'POST /api/maple/rollouts': {
    summary: 'Write a rollout',
    description: `A draft until it is started. Devices are ordered by a hash of the rollout and the device. A window of hours is in the zone that the attribute \`${zoneAttribute}\` of a device names, or else in its own.`,
    body: Strict(given),
    ...creates(Rollout, 'not_found', 'service_suspended', 'binary_image_closed'),
  },
  'PUT /api/maple/rollouts': {
    summary: 'Change a rollout that has not started',
    query,
    body: Strict(optional(given)),
    ...changes(Rollout, 'transition_refused', 'binary_image_closed'),
  },
  'DELETE /api/maple/rollouts': {
    summary: 'Delete a rollout that is a draft or over, with what it recorded',
    query,
    ...deletes('transition_refused'),
  },
  'POST /api/maple/rollouts/{id}/start': {
    summary: 'Start a rollout, or ask for approval where it needs one',
    description:
      'A rollout that acts in the name of a domain with delegated management needs approval wherever Grove signs tokens for it.',
    ...moves('service_suspended', 'token_key_missing'),
  },
  'POST /api/maple/rollouts/{id}/pause': {
    summary: 'Pause a rollout: what runs is finished, nothing starts',
    ...moves(),
  },
  'POST /api/maple/rollouts/{id}/resume': {
    summary: 'Resume a rollout',
    description: 'After a threshold was reached, `choice` says what becomes of the group.',
    ...moves(),
    body: Strict({ choice: Type.Optional(Type.Enum(resumeChoices)) }),
  },
  'POST /api/maple/rollouts/{id}/next': { summary: 'Start the next group now', ...moves() },
  'POST /api/maple/rollouts/{id}/stop': {
    summary: 'Stop a rollout for good: what runs is finished, what waits is cancelled',
    ...moves(),
  },
  'POST /api/maple/rollouts/{id}/rollback': {
    summary: 'Write the rollout that takes this one back where it succeeded',
    ...moves('no_way_back'),
    status: 201,
  },
  'POST /api/maple/rollouts/{id}/retry': {
    summary: 'Write the rollout that retries what failed in one that is over',
    description:
      'A draft with the same program, for the devices that failed or timed out, or for those of one state and cause. They are found when it starts: devices that another retry of the same rollout has reached meanwhile, or is to reach, are left out, and so are elements of a device where the program succeeded.',
    ...moves(),
    body: Strict({
      state: Type.Optional(Type.Enum(retriedStates)),
      cause: Type.Optional(Type.String({ minLength: 1, maxLength: maxCauseLength })),
    }),
    status: 201,
  },
  'GET /api/maple/rollouts/{id}/cause': {
    summary: 'Count the failures of a rollout by their causes',
    response: Type.Object({ items: Type.Array(Cause) }),
  },
  'GET /api/maple/rollouts/{id}/execution': {
    summary: 'List the devices of a rollout with what came of each',
    ...listsBy(Execution, executionSorting, {
      device: DeviceId,
      group: Type.Integer({ minimum: 0, maximum: maxGroups }),
      state: Type.Enum(executionStates),
      cause: Type.String({ minLength: 1, maxLength: maxCauseLength }),
    }),
  },
  'GET /api/maple/rollouts/policy': {
    summary: 'Read whether rollouts of the service provider need a second person',
    response: Policy,
  },
  'PUT /api/maple/rollouts/policy': {
    summary: 'Set whether rollouts of the service provider need a second person',
    access: { right: 'approval.give', isScoped: true },
    body: Strict({ needsApproval: Type.Boolean() }),
    response: Policy,
  },
})
