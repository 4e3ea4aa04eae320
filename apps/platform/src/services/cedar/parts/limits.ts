/** The most that one provider can have; they keep lists and searches fast. */
export const catalogueLimits = {
  products: 1000,
  versionsPerProduct: 1000,
} as const

/** How long a refused package that can be repaired is kept, and how many per provider. */
export const refusedLimits = { keepSeconds: 24 * 60 * 60, files: 20 } as const
