/**
 * Ten minutes, for anonymous tokens too. The signer and the verifiers share it, so a token with a
 * longer lifetime is not ours.
 */
export const accessTokenSeconds = 600
