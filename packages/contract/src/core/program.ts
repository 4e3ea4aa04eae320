import { Type, type TProperties, type TSchema } from 'typebox'
import { changes, listsBy, type WithoutAccess } from '../call.ts'
import type { Sorting } from '../page.rules.ts'
import type { ProblemCode } from '../problem-codes.ts'
import { Nullable, optional, Strict, Timestamp, Uuid } from '../shapes.ts'

export const VersionNumber = Type.Integer({ minimum: 1, maximum: 1_000_000, examples: [1] })

/** What every version says of itself. */
const facts = {
  number: Type.Integer(),
  /** Of its content, in hex. */
  sha256: Type.String(),
  note: Type.String(),
  /** The version that this one brought back. */
  restoredFrom: Nullable(Type.Integer()),
  publishedBy: Nullable(Type.String()),
  publishedAt: Timestamp,
}
export const VersionItem = Type.Object(facts)
export type VersionItem = Type.Static<typeof VersionItem>

/** A version with what was published. */
export const VersionOf = <Content extends TProperties>(content: Content) =>
  Type.Object({ ...facts, ...content })

/** Why a program could not be run, or what is wrong with its text. */
export const ProgramFailure = Type.Object({
  /** The name of the thrown error, or the exceeded limit. */
  name: Type.String(),
  message: Type.String(),
  /** From 1; null where the program is not the place. */
  line: Nullable(Type.Integer()),
  column: Nullable(Type.Integer()),
})
export type ProgramFailure = Type.Static<typeof ProgramFailure>

type Calls<C extends Record<string, WithoutAccess>, Path extends string> = {
  [
    Key in keyof C & string as Key extends `${infer Method} ${infer Rest}`
      ? `${Method} ${Path}/{id}/${Rest}`
      : never
  ]: C[Key]
}

/** Calls on one program, by method and the rest of their path. */
export const under = <Path extends string, const C extends Record<string, WithoutAccess>>(
  path: Path,
  calls: C,
) =>
  Object.fromEntries(
    Object.entries(calls).map(([key, call]) => [key.replace(' ', ` ${path}/{id}/`), call]),
  ) as Calls<C, Path>

interface Versions<Version, Note, Code> {
  /** What has the versions, such as "a script". */
  of: string
  /** What a version has besides its facts, such as "its code". */
  content: string
  version: Version
  note: Note
  sorting: Sorting<'number'>
  publish?: { description?: string; problems?: readonly Code[] }
}

/** Publishes the draft, brings a version back, lists versions and reads one. */
export const versionCalls = <
  Path extends `/${string}`,
  Version extends TSchema,
  Note extends TSchema,
  const Code extends ProblemCode = never,
>(
  path: Path,
  { of, content, version, note, sorting, publish = {} }: Versions<Version, Note, Code>,
) =>
  under(path, {
    'POST publish': {
      summary: 'Publish the draft as a version, which never changes',
      ...(publish.description !== undefined && { description: publish.description }),
      body: Strict(optional({ note })),
      ...changes(version, ...(publish.problems ?? [])),
      status: 201,
    },
    'POST rollback': {
      summary: 'Publish an earlier version again, as a new one',
      description: 'The draft stays as it is.',
      body: Strict({ number: VersionNumber, note: Type.Optional(note) }),
      ...changes(version),
      status: 201,
    },
    'GET version': {
      summary: `List the versions of ${of}, the newest first`,
      ...listsBy(VersionItem, sorting, {}),
    },
    'GET version/{number}': {
      summary: `Read a version with ${content}`,
      params: Strict({ id: Uuid, number: VersionNumber }),
      response: version,
    },
  })
