import { Type } from 'typebox'
import { Nullable, Timestamp } from '../shapes.ts'

/** Where a rule was broken. `message` and `fix` are in English; `params` are for a client's own text. */
const Place = Type.Object({
  /** The path inside the package; null if the finding is about the whole archive. */
  path: Nullable(Type.String()),
  message: Type.String(),
  fix: Type.String(),
  params: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])),
})

/** Everything that the check found under one rule: how often, and the first places. */
const Finding = Type.Object({
  rule: Type.String({ examples: ['path-traversal'] }),
  severity: Type.Enum(['error', 'warning']),
  count: Type.Integer(),
  places: Type.Array(Place),
})
export type Finding = Type.Static<typeof Finding>

/** One kind of repair of an archive: the number of affected files, and the first. */
const Repair = Type.Object({
  kind: Type.Enum(['root-folder', 'backslashes', 'system-files']),
  count: Type.Integer(),
  /** `to` is null if the file is left out. */
  examples: Type.Array(Type.Object({ from: Type.String(), to: Nullable(Type.String()) })),
})
export type Repair = Type.Static<typeof Repair>

export const PackageReport = Type.Object({
  ok: Type.Boolean(),
  profile: Nullable(Type.Enum(['web', 'w3c'])),
  fileName: Type.String(),
  bytes: Type.Integer(),
  /**
   * SHA-256 of the uploaded file. The platform stores its files in a rewritten archive, whose hash is
   * the package's. Absent from older reports.
   */
  sha256: Type.Optional(Type.String()),
  inflatedBytes: Type.Integer(),
  files: Type.Integer(),
  /** Permissions in the manifest. Absent from older reports. */
  permissions: Type.Optional(
    Type.Object({
      required: Type.Array(Type.String()),
      optional: Type.Array(Type.String()),
    }),
  ),
  heaviest: Type.Array(Type.Object({ path: Type.String(), bytes: Type.Integer() })),
  findings: Type.Array(Finding),
  /** The repairs with which a refused archive would pass; empty if there are none. */
  repairs: Type.Array(Repair),
  /** Repairs made on the developer's request before this check. */
  repaired: Type.Array(Repair),
  checkedAt: Timestamp,
})
export type PackageReport = Type.Static<typeof PackageReport>
