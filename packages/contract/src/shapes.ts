import { Type, type TProperties, type TSchema } from 'typebox'
import { locales } from './locale.rules.ts'
import type { ProblemCode } from './problem-codes.ts'
import {
  defaultPageSize,
  largestPage,
  maxCursorLength,
  maxSearchLength,
  orders,
  type Sorting,
} from './page.rules.ts'

/** An object that refuses unknown fields, so that a misspelt one is reported, not ignored. */
export const Strict = <T extends TProperties>(properties: T) =>
  Type.Object(properties, { additionalProperties: false })

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

export const Uuid = Type.String({
  format: 'uuid',
  examples: ['0198f0a2-6a52-7c3e-9d7a-6f2d0c1b9e55'],
})

/** RFC 3339 in UTC with microseconds. Text, because a JavaScript `Date` drops the last three digits. */
export const Timestamp = Type.String({
  format: 'date-time',
  examples: ['2026-03-01T09:30:00.123456Z'],
})

export const LocaleCode = Type.Enum(locales)

/**
 * Whether the reader may do something to an object now: null if so, otherwise the problem code that
 * the call would return, which is the reason of a disabled control.
 */
export const Right = <Code extends ProblemCode>(...codes: Code[]) =>
  Nullable(Type.Unsafe<Code>(Type.Enum(codes)))

/** A keyset page: `next` and `previous` are opaque cursors, null at the ends. */
export const Page = <T extends TSchema>(item: T) =>
  Type.Object({
    items: Type.Array(item),
    next: Nullable(Type.String()),
    previous: Nullable(Type.String()),
  })

export const pageQuery = {
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: maxCursorLength })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: largestPage, default: defaultPageSize }),
  ),
}

/** How many a list has on all pages; `isCapped`: there are more than `value`. */
export const Count = Type.Object({ value: Type.Integer(), isCapped: Type.Boolean() })

/** The properties of an object, none of them required. */
export const optional = <T extends TProperties>(properties: T) =>
  Type.Partial(Type.Object(properties)).properties

/** The parameters of a list in keyset pages: its filters, each optional, and what every list has. */
export const ListQuery = <T extends TProperties, Sort extends string>(
  filters: T,
  sorting: Sorting<Sort>,
) => Strict({ ...pageQuery, ...optional(filters), ...sortQuery(sorting) })

/** Fields that the service itself sets on an editable object. */
export const stored = {
  /** Counts changes. Send it in `If-Match`, so that a save does not undo someone else's. */
  revision: Type.Integer(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
}

/** The parameters that sort a list. */
export const sortQuery = <Sort extends string>(sorting: Sorting<Sort>) => ({
  sort: Type.Optional(Type.Unsafe<Sort>(Type.Enum([...sorting.by], { default: sorting.default }))),
  order: Type.Optional(Type.Enum(orders, { default: sorting.order })),
})

export const SearchText = (description: string) =>
  Type.String({ maxLength: maxSearchLength, description })

/** A name that people read: it can be seen as it is stored (`name.rules.ts`). */
export const Name = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, format: 'name', examples: ['Grove'] })

const uuidPattern = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'

/** At most this many ids, separated by commas. */
export const Ids = (most: number) =>
  Type.String({
    pattern: `^${uuidPattern}(,${uuidPattern}){0,${most - 1}}$`,
    description: `Only those with these ids, separated by commas; at most ${most}`,
  })

/** The calls that a third-party service says it has, such as `GET /api/maple/device`. */
export const ServiceCalls = Type.Optional(
  Type.Array(Type.String(), {
    description: 'The calls that the service has. Grove leaves it out: it has all of them.',
  }),
)

/** Names one item. */
export const byId = Strict({ id: Uuid })

/** The rest of a call that answers 204. */
export const noContent = { response: Type.Null(), status: 204 } as const

/** Why one field was refused. */
export const FieldError = Type.Object({
  /** The field in the request, such as `translations.0.title`; empty for the whole body. */
  path: Type.String(),
  code: Type.String(),
  message: Type.String(),
  /** The values that the message contains, such as `{ limit: 30 }`, for a client's own text. */
  params: Type.Optional(Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]))),
})
export type FieldError = Type.Static<typeof FieldError>

/** RFC 9457 problem details with our extensions. */
export const Problem = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  code: Type.String(),
  requestId: Type.String(),
  errors: Type.Optional(Type.Array(FieldError)),
})
export type Problem = Type.Static<typeof Problem>
