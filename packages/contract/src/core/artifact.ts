import { Type } from 'typebox'
import { Nullable, Right, stored, Strict, Uuid } from '../shapes.ts'
import { artifactStates } from './artifact.rules.ts'

/** The fields of every artifact: an uploaded file with a state. */
export const artifact = {
  id: Uuid,
  /** The service provider that it belongs to. */
  serviceId: Nullable(Type.String()),
  state: Type.Enum(artifactStates),
  name: Type.String(),
  version: Type.String(),
  fileName: Type.String(),
  bytes: Type.Integer(),
  /** Of the whole file. */
  sha256: Type.String(),
  createdBy: Nullable(Type.String()),
  ...stored,
}
const Artifact = Type.Object(artifact)
export type ArtifactFacts = Type.Static<typeof Artifact>

export const moves = {
  verify: Right('transition_refused'),
  release: Right('transition_refused'),
  revoke: Right('transition_refused'),
}
const Moves = Type.Object(moves)
export type ArtifactMoves = Type.Static<typeof Moves>

export const ArtifactMove = Strict({ state: Type.Enum(['verified', 'released', 'revoked']) })

export const fileDownload = {
  response: Type.Any(),
  produces: 'application/octet-stream',
  problems: ['file_damaged', 'storage_unavailable'],
} as const
