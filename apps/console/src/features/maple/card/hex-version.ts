/** A key version as specifications and cards write it. */
export const hexVersion = (version: number): string =>
  version.toString(16).toUpperCase().padStart(2, '0')
