import { Type, type Static, type TProperties, type TSchema } from 'typebox'
import type { MapleRight } from './maple/access/right.rules.ts'
import { sharedProblems, type ProblemCode, type SharedProblem } from './problem-codes.ts'
import type { Sorting } from './page.rules.ts'
import { byId, Count, ListQuery, noContent, Page } from './shapes.ts'

/** The services of the platform, each with its own address and `api-version`. */
export type ServiceName = 'auth' | 'cedar' | 'maple'

/**
 * Who can make a call. `public`: anyone. `anonymous`: any verified access token, even without an
 * account. `signedIn`: the verified access token of an account. `developer` and `admin`: a token with
 * that dashboard role (an admin can make a developer's calls). A right: an admin, or someone whom the
 * service grants it.
 */
export type Access = 'public' | 'anonymous' | 'signedIn' | 'developer' | 'admin' | RightAccess

export interface RightAccess {
  right: MapleRight
  /**
   * The call is limited to the objects of the account's service provider, or of the working stage.
   * Without it an account of a service provider cannot make the call, nor anyone in a working stage.
   */
  isScoped?: true
}

/**
 * A publish key acts for a provider in the calls that publish, an API key in those about its devices.
 */
export type KeyKind = 'publish' | 'api'

/** The kind of key that a call accepts; undefined for a call that only people can make. */
export const keyKindOf = ({ takesKey, access }: Call): KeyKind | undefined =>
  takesKey ?? (typeof access === 'object' && access.isScoped ? 'api' : undefined)

/** One HTTP call: the server validates, documents and serialises from it. */
export interface CallDefinition {
  summary: string
  description?: string
  access: Access
  /**
   * Accepts a key of this kind instead of an access token. A scoped call accepts API keys without it.
   */
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
  /** Problem codes in addition to `sharedProblems`. */
  problems?: readonly ProblemCode[]
}

export interface Call extends CallDefinition {
  service: ServiceName
}

export type CallKey = `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`

type KnownAccess = Exclude<Access, 'public'>
/** Who can make the calls of a table: one value for all, or separate ones for reads and changes. */
type TableAccess = KnownAccess | { read: KnownAccess; change: KnownAccess }

/** The access to what belongs to a service provider: with one right to read, with another to change. */
export const scoped = <Read extends MapleRight, Change extends MapleRight>(
  read: Read,
  change: Change,
) => ({
  read: { right: read, isScoped: true } as const,
  change: { right: change, isScoped: true } as const,
})

type AccessOf<D, K> = D extends { read: infer Read; change: infer Change }
  ? K extends `GET ${string}`
    ? Read
    : Change
  : D
type CodeOf<C> = C extends { problems: readonly (infer Code extends ProblemCode)[] } ? Code : never

/** Defaults of a call whose path names one item by `{id}`. */
const ofOne = { params: byId, problems: ['not_found'] } as const
type OfOne<K, C> = K extends `${string}/{id}${string}`
  ? C extends { params: TSchema }
    ? Omit<typeof ofOne, 'params'>
    : typeof ofOne
  : unknown

type CallOf<S, D, K, C> = Omit<C, 'access' | 'problems'> &
  Omit<OfOne<K, C>, 'problems'> & {
    service: S
    access: C extends { access: infer A } ? A : AccessOf<D, K>
    problems: readonly (CodeOf<C> | CodeOf<OfOne<K, C>>)[]
  }
type CallsOf<S, D, T> = { [K in keyof T]: CallOf<S, D, K, T[K]> }

/** A call in a table that says who can make it. */
export type WithoutAccess = Omit<CallDefinition, 'access'> & Partial<Pick<CallDefinition, 'access'>>
type Table = Record<CallKey, WithoutAccess>

/**
 * Defines calls of one service; keeps the literal types of their keys and schemas. A call whose path
 * has `{id}` accepts a UUID there by default, and may answer `not_found`.
 */
export function defineCalls<S extends ServiceName, const T extends Record<CallKey, CallDefinition>>(
  service: S,
  calls: T,
): CallsOf<S, never, T>
/** A call that does not name its access has that of the table. */
export function defineCalls<
  S extends ServiceName,
  const D extends TableAccess,
  const T extends Table,
>(service: S, access: D, calls: T): CallsOf<S, D, T>
export function defineCalls(
  service: ServiceName,
  first: TableAccess | Table,
  second?: Table,
): object {
  const table = second ?? (first as Table)
  return Object.fromEntries(
    Object.entries(table).map(([key, call]) => [
      key,
      {
        ...(second && { access: accessOf(first as TableAccess, key) }),
        ...withOne(key, call),
        service,
      },
    ]),
  )
}

const accessOf = (access: TableAccess, key: string) =>
  typeof access === 'object' && 'read' in access
    ? key.startsWith('GET ')
      ? access.read
      : access.change
    : access

function withOne(key: string, { problems = [], ...call }: WithoutAccess): WithoutAccess {
  return key.includes('/{id}')
    ? { ...ofOne, ...call, problems: [...ofOne.problems, ...problems] }
    : { ...call, problems }
}

/** The rest of a call that returns one page of items. */
export const lists = <Item extends TSchema>(item: Item) =>
  ({ response: Page(item), problems: ['bad_cursor'] }) as const

/** The same, with the query of a list: its order, and filters that are all optional. */
export const listsBy = <Item extends TSchema, Sort extends string, Filters extends TProperties>(
  item: Item,
  sorting: Sorting<Sort>,
  filters: Filters,
) => ({ query: ListQuery(filters, sorting), ...lists(item) }) as const

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
export const deletes = <const Code extends ProblemCode = never>(...problems: Code[]) =>
  ({ ...noContent, problems: ['not_found', 'edit_conflict', ...problems] }) as const

/** Lists every problem code that a call can return. */
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

/** The problem codes that a call can return, as a type; it includes every shared one. */
export type ProblemOf<C extends Call> =
  | SharedProblem
  | (C extends { problems: readonly (infer P extends ProblemCode)[] } ? P : never)

type Part<C extends Call, K extends keyof Call> = C[K] extends TSchema ? Static<C[K]> : undefined

export type ParamsOf<C extends Call> = Part<C, 'params'>
export type QueryOf<C extends Call> = Part<C, 'query'>
export type BodyOf<C extends Call> = Part<C, 'body'>
export type FormOf<C extends Call> = Part<C, 'form'>
export type ResponseOf<C extends Call> = Part<C, 'response'>
