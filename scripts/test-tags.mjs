// Tests with this tag in their title run in `npm run test:all` alone.

export const longTag = '@long'

/** `npm test` and `npm run check` set it; without it every test runs. */
export const isShort = process.env.GROVE_TESTS === 'short'

/** A unit test without the tag that takes longer is named at the end of a run. */
export const slowSeconds = 4

/** For the configuration of each Vitest project. */
export const tagOptions = isShort ? { testNamePattern: new RegExp(`^(?!.*${longTag})`) } : {}
