/**
 * A file is uploaded, verified, released for what is in use, and revoked when nothing may get it any
 * more.
 */
export const artifactStates = ['uploaded', 'verified', 'released', 'revoked'] as const
export type ArtifactState = (typeof artifactStates)[number]

export type ArtifactTransitions = Record<ArtifactState, readonly ArtifactState[]>
