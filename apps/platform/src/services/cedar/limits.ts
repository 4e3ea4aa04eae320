/** Defaults of what one provider may have; lists and searches stay quick because of them. */
export const catalogueLimits = {
  products: 1000,
  versionsPerProduct: 1000,
  imagesPerLocale: 8,
} as const

const MB = 1024 * 1024

/** Bytes that an upload may have. */
export const uploadLimits = {
  package: 20 * MB,
  icon: 1 * MB,
  // Play takes screenshots up to this.
  screenshot: 8 * MB,
} as const
