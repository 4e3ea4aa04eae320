/**
 * A file is uploaded, verified, released for use, and revoked when nothing may receive it any more.
 */
export const artifactStates = ['uploaded', 'verified', 'released', 'revoked'] as const
export type ArtifactState = (typeof artifactStates)[number]

export type ArtifactTransitions = Record<ArtifactState, readonly ArtifactState[]>
