/** The most that one provider can have; they keep lists and searches fast. */
export const catalogueLimits = {
  products: 1000,
  versionsPerProduct: 1000,
} as const
