import { Type, type TProperties, type TSchema } from 'typebox'

/** An object that refuses fields it does not know, so that a misspelt one is told, not lost. */
export const Strict = <T extends TProperties>(properties: T) =>
  Type.Object(properties, { additionalProperties: false })

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

export const Uuid = Type.String({
  format: 'uuid',
  examples: ['0198f0a2-6a52-7c3e-9d7a-6f2d0c1b9e55'],
})

/** RFC 3339 in UTC with microseconds: text, since a JavaScript `Date` loses the last three digits. */
export const Timestamp = Type.String({
  format: 'date-time',
  examples: ['2026-03-01T09:30:00.123456Z'],
})

/** spec §3 "Locales". */
export const LocaleCode = Type.Enum(['en-US', 'ru-RU'])
export type LocaleCode = Type.Static<typeof LocaleCode>

/** A keyset page: `next` and `previous` are opaque cursors, null at the ends. */
export const Page = <T extends TSchema>(item: T) =>
  Type.Object({
    items: Type.Array(item),
    next: Nullable(Type.String()),
    previous: Nullable(Type.String()),
  })

export const pageQuery = {
  // 30 characters of a title can become 540 to sort by, of two bytes each, in base64.
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 2048 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
}

/** The response of a call that answers 204. */
export const NoContent = Type.Null()

/** RFC 9457 problem details with our extensions. */
export const Problem = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  code: Type.String(),
  requestId: Type.String(),
  errors: Type.Optional(
    Type.Array(Type.Object({ path: Type.String(), code: Type.String(), message: Type.String() })),
  ),
})
export type Problem = Type.Static<typeof Problem>
