/** Bytes of a package as it is uploaded; what it may hold is in the platform’s `package-limits.ts`. */
export const largestPackage = 20 * 1024 * 1024
