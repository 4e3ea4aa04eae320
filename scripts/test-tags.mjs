// Tests with this tag in their titles run only in `npm run test:all`.

export const longTag = '@long'

/** `npm test` and `npm run check` set it; without it every test runs. */
export const isShort = process.env.GROVE_TESTS === 'short'

/** A unit test without the tag that takes longer is listed at the end of a run. */
export const slowSeconds = 4

/** For the configuration of each Vitest project. */
export const tagOptions = isShort ? { testNamePattern: new RegExp(`^(?!.*${longTag})`) } : {}
