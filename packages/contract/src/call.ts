import { Type, type Static, type TSchema } from 'typebox'
import type { MapleRight } from './maple/access/right.rules.ts'
import { sharedProblems, type ProblemCode, type SharedProblem } from './problem-codes.ts'
import { Count, NoContent, Page } from './shapes.ts'

/** The services of the platform, each with its own address and `api-version`. */
export type ServiceName = 'auth' | 'cedar' | 'maple'

/**
 * Who can make a call. `public`: anyone. `anonymous`: any verified access token, even without an
 * account. `signedIn`: the verified access token of an account. `developer` and `admin`: a token
 * with that dashboard role (an admin can make a developer's calls). A right: an admin, or someone to
 * whom the service gives it.
 */
export type Access = 'public' | 'anonymous' | 'signedIn' | 'developer' | 'admin' | RightAccess

export interface RightAccess {
  right: MapleRight
  /**
   * The call keeps to the objects of the service provider that an account belongs to, or of the
   * working stage. Without it an account of a service provider cannot make the call, nor anyone in
   * a working stage.
   */
  isScoped?: true
}

/** A publish key stands for a provider in the calls that publish, an API key in those of its devices. */
export type KeyKind = 'publish' | 'api'

/** The kind of key that a call takes; undefined for a call that people alone can make. */
export const keyKindOf = ({ takesKey, access }: Call): KeyKind | undefined =>
  takesKey ?? (typeof access === 'object' && access.isScoped ? 'api' : undefined)

/** One HTTP call: the server validates, documents and serialises from it. */
export interface CallDefinition {
  summary: string
  description?: string
  access: Access
  /** Takes a key of this kind in place of an access token. A scoped call takes API keys without it. */
  takesKey?: KeyKind
  /** Path parameters. */
  params?: TSchema
  query?: TSchema
  /** A JSON body. */
  body?: TSchema
  /** The body is `application/x-www-form-urlencoded` instead of JSON. */
  isFormEncoded?: boolean
  /** Form fields of a `multipart/form-data` body; its one file part is named `file`. */
  form?: TSchema
  response: TSchema
  /** Status of a success, 200 by default. 204 has no body. */
  status?: 200 | 201 | 204
  /** Media type of a success that is not JSON. */
  produces?: string
  /** Problem codes beyond those of `sharedProblems`. */
  problems?: readonly ProblemCode[]
}

export interface Call extends CallDefinition {
  service: ServiceName
}

export type CallKey = `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`

type CallsOf<S extends ServiceName, T> = { [K in keyof T]: T[K] & { service: S } }

/** Defines calls of one service; keeps the literal types of their keys and schemas. */
export const defineCalls = <S extends ServiceName, const T extends Record<CallKey, CallDefinition>>(
  service: S,
  calls: T,
): CallsOf<S, T> =>
  Object.fromEntries(
    Object.entries(calls).map(([key, call]) => [key, { ...call, service }]),
  ) as unknown as CallsOf<S, T>

/** The rest of a call that answers one page of items. */
export const lists = <Item extends TSchema>(item: Item) =>
  ({ response: Page(item), problems: ['bad_cursor'] }) as const

/** The same, for a list that counts with `count=true`. */
export const countedLists = <Item extends TSchema>(item: Item) =>
  ({
    response: Type.Object({ ...Page(item).properties, count: Type.Optional(Count) }),
    problems: ['bad_cursor'],
  }) as const

/** The rest of a call that creates an item. */
export const creates = <Item extends TSchema, const Code extends ProblemCode>(
  item: Item,
  ...problems: Code[]
) => ({ response: item, status: 201, problems }) as const

/** The rest of a call that changes an item at its revision. */
export const changes = <Item extends TSchema, const Code extends ProblemCode = never>(
  item: Item,
  ...problems: Code[]
) => ({ response: item, problems: ['not_found', 'edit_conflict', ...problems] }) as const

/** The rest of a call that deletes an item at its revision. */
export const deletes = {
  response: NoContent,
  status: 204,
  problems: ['not_found', 'edit_conflict'],
} as const

/** Lists every problem code that a call can answer. */
export function problemsOf(call: Call): ProblemCode[] {
  const codes: ProblemCode[] = [
    ...sharedProblems.every,
    ...(call.body ? sharedProblems.withBody : []),
    ...(call.form ? sharedProblems.withForm : []),
    ...(call.access === 'public' ? [] : sharedProblems.withToken),
    // Any verified token is enough for an anonymous call.
    ...(call.access === 'public' || call.access === 'anonymous' ? [] : sharedProblems.withAccount),
    ...(typeof call.access === 'object' ? sharedProblems.withRight : []),
    ...(call.problems ?? []),
  ]
  return [...new Set(codes)]
}

/** The problem codes that a call can answer, as a type; it includes every shared one. */
export type ProblemOf<C extends Call> =
  | SharedProblem
  | (C extends { problems: readonly (infer P extends ProblemCode)[] } ? P : never)

type Part<C extends Call, K extends keyof Call> = C[K] extends TSchema ? Static<C[K]> : undefined

export type ParamsOf<C extends Call> = Part<C, 'params'>
export type QueryOf<C extends Call> = Part<C, 'query'>
export type BodyOf<C extends Call> = Part<C, 'body'>
export type FormOf<C extends Call> = Part<C, 'form'>
export type ResponseOf<C extends Call> = Part<C, 'response'>
