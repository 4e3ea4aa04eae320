import { Type } from 'typebox'
import { defineCalls } from '../call.ts'
import { Nullable, Strict, Uuid } from '../shapes.ts'

const File = Type.Object({ bytes: Type.Integer(), sha256: Type.String() })

/** What happened to one file. A moved one has the same bytes at another path. */
const FileChange = Type.Object({
  kind: Type.Enum(['added', 'removed', 'changed', 'moved']),
  path: Type.String(),
  /** Where a moved file was. */
  from: Nullable(Type.String()),
  before: Nullable(File),
  after: Nullable(File),
})
export type FileChange = Type.Static<typeof FileChange>

const Permission = Type.Object({ name: Type.String(), isRequired: Type.Boolean() })
export type Permission = Type.Static<typeof Permission>

/** A value of the manifest as JSON; null if absent. */
const ManifestChange = Type.Object({
  path: Type.String({ examples: ['window.fullscreen'] }),
  before: Nullable(Type.String()),
  after: Nullable(Type.String()),
})
export type ManifestChange = Type.Static<typeof ManifestChange>

const Difference = Type.Object({
  /** Whether each version has a package; without both nothing is compared. */
  packages: Type.Object({ before: Type.Boolean(), after: Type.Boolean() }),
  /** By path. */
  files: Type.Array(FileChange),
  unchanged: Type.Integer(),
  permissions: Type.Object({ added: Type.Array(Permission), removed: Type.Array(Permission) }),
  manifest: Type.Array(ManifestChange),
})
export type Difference = Type.Static<typeof Difference>

const PackagedFile = Type.Object({ path: Type.String(), ...File.properties })
export type PackagedFile = Type.Static<typeof PackagedFile>

export const differenceCalls = defineCalls('cedar', 'developer', {
  'GET /api/developer/productVersion/{id}/difference': {
    summary: 'What a version’s package changes from another version’s of the same product',
    query: Strict({ with: Uuid }),
    response: Difference,
    problems: ['file_damaged'],
  },
  'GET /api/developer/productVersion/{id}/files': {
    summary: 'The files of a version’s package, by path',
    response: Type.Object({ files: Type.Array(PackagedFile) }),
    problems: ['package_missing', 'file_damaged'],
  },
  'GET /api/developer/productVersion/{id}/file': {
    summary: 'One file of a version’s package',
    description:
      'As plain text if it is UTF-8, else as bytes; never as what it says it is, so that no browser runs it.',
    query: Strict({ path: Type.String({ minLength: 1, maxLength: 1024, examples: ['app.js'] }) }),
    response: Type.Any(),
    produces: 'text/plain',
    problems: ['package_missing', 'file_damaged'],
  },
})
