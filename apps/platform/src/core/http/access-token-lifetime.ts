/**
 * design.md "Security model": ten minutes, for anonymous tokens too. What signs them and what verifies
 * them agree on it, so that a token which claims a longer life is none of ours.
 */
export const accessTokenSeconds = 600
