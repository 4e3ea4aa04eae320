/** design.md "Security model": ten minutes, for anonymous tokens too. */
export const accessTokenSeconds = 600
