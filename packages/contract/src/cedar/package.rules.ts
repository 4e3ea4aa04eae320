/**
 * Maximum bytes of an uploaded package; limits on its contents are in the platform’s
 * `package-limits.ts`.
 */
export const largestPackage = 20 * 1024 * 1024
