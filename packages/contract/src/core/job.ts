import { Type } from 'typebox'
import { defineCalls, type Access, type CallDefinition, type ServiceName } from '../call.ts'
import { maxCounted } from '../page.rules.ts'
import { Count, Nullable, Page, pageQuery, Right, Strict, Timestamp, Uuid } from '../shapes.ts'
import { jobStates } from './job.rules.ts'

const Job = Type.Object({
  id: Uuid,
  /** Its name, such as `mail.send`. Its input stays on the server: it can contain secrets. */
  name: Type.String(),
  state: Type.Enum(jobStates),
  attempts: Type.Integer(),
  maxAttempts: Type.Integer(),
  /** When a queued job runs next. */
  dueAt: Timestamp,
  progress: Nullable(Type.Object({ done: Type.Integer(), total: Type.Integer() })),
  /** It is running, and was asked to stop. */
  isCancelling: Type.Boolean(),
  isRecurring: Type.Boolean(),
  /** Why the last attempt failed; a job with secrets stores no message. */
  failure: Nullable(Type.Object({ code: Type.String(), message: Nullable(Type.String()) })),
  /** The requesting user; null for a job of the platform. */
  createdBy: Nullable(Type.String()),
  createdAt: Timestamp,
  startedAt: Nullable(Timestamp),
  finishedAt: Nullable(Timestamp),
  rights: Type.Object({
    retry: Right('job_not_finished', 'job_input_gone'),
    cancel: Right('job_finished'),
  }),
})
export type Job = Type.Static<typeof Job>

const list = {
  summary: 'List the jobs of a service, the newest first',
  access: 'admin',
  query: Strict({
    ...pageQuery,
    state: Type.Optional(
      Type.String({
        pattern: `^(${jobStates.join('|')})(,(${jobStates.join('|')}))*$`,
        description: 'States, separated by commas',
      }),
    ),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    recurring: Type.Optional(
      Type.Boolean({ description: 'Recurring jobs alone; with `false` none of them' }),
    ),
    count: Type.Optional(
      Type.Boolean({ description: `Also count the matches, up to ${maxCounted}` }),
    ),
  }),
  response: Type.Object({
    ...Page(Job).properties,
    /** Every name that a job of this service can have. */
    names: Type.Array(Type.String()),
    count: Type.Optional(Count),
  }),
  problems: ['bad_cursor'],
} as const satisfies CallDefinition

const get = {
  summary: 'Read a job',
  access: 'admin',
  params: Strict({ id: Uuid }),
  response: Job,
  problems: ['not_found'],
} as const satisfies CallDefinition

const retry = {
  summary: 'Run a failed or cancelled job again',
  description: 'It has all its attempts again.',
  access: 'admin',
  params: Strict({ id: Uuid }),
  response: Job,
  problems: ['not_found', 'job_not_finished', 'job_input_gone'],
} as const satisfies CallDefinition

const cancel = {
  summary: 'Cancel a job',
  description: 'A queued job ends at once; a running one is asked to stop.',
  access: 'admin',
  params: Strict({ id: Uuid }),
  response: Job,
  problems: ['not_found', 'job_finished'],
} as const satisfies CallDefinition

type KnownAccess = Exclude<Access, 'public'>
type Needs<C> = Omit<C, 'access'> & { access: KnownAccess }
type JobCalls<S extends ServiceName> = Record<`GET /api/${S}/job`, Needs<typeof list>> &
  Record<`GET /api/${S}/job/{id}`, Needs<typeof get>> &
  Record<`POST /api/${S}/job/{id}/retry`, Needs<typeof retry>> &
  Record<`POST /api/${S}/job/{id}/cancel`, Needs<typeof cancel>>

/** Each service serves its own jobs, so that services can run separately. */
export const jobCallsOf = <S extends ServiceName>(
  service: S,
  { read, change }: { read: KnownAccess; change: KnownAccess } = { read: 'admin', change: 'admin' },
) =>
  defineCalls(service, {
    [`GET /api/${service}/job`]: { ...list, access: read },
    [`GET /api/${service}/job/{id}`]: { ...get, access: read },
    [`POST /api/${service}/job/{id}/retry`]: { ...retry, access: change },
    [`POST /api/${service}/job/{id}/cancel`]: { ...cancel, access: change },
  } as JobCalls<S>)
