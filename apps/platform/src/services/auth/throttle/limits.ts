import type { Limit } from './throttle.ts'

const second = 1000
const minute = 60 * second

/** Wrong passwords from one network, whatever the account: stops one password tried on many. */
export const signInsOfNetwork: Limit = { name: 'sign-in network', burst: 100, everyMs: 5 * second }

/** Wrong passwords for one account from one network: the limit that a guesser meets first. */
export const signInsOfAccountInNetwork: Limit = {
  name: 'sign-in account network',
  burst: 10,
  everyMs: minute,
}

/**
 * Wrong passwords for one account from networks where it never signed in: stops a guesser with many
 * networks. The owner's own networks are not counted here, or anyone could lock the owner out.
 */
export const signInsOfAccount: Limit = { name: 'sign-in account', burst: 100, everyMs: 5 * minute }

export const signUpsOfNetwork: Limit = { name: 'sign-up', burst: 30, everyMs: minute }

/** The answer tells who has an account, so asking for a list of addresses has to be slow. */
export const emailQuestionsOfNetwork: Limit = { name: 'email exists', burst: 20, everyMs: minute }

export const anonymousTokensOfNetwork: Limit = { name: 'anonymous', burst: 60, everyMs: second }
