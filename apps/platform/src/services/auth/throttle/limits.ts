import type { Limit } from './throttle.ts'

const second = 1000
const minute = 60 * second

/** Wrong passwords from one network, for any account: stops password spraying. */
export const signInsOfNetwork: Limit = { name: 'sign-in network', burst: 100, everyMs: 5 * second }

/** Wrong passwords for one account from one network: the first limit that a guesser hits. */
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

/** The same work if the owner is known, so that timing does not reveal it. It refuses nobody. */
export const signInsAtHome: Limit = { name: 'sign-in at home', burst: 1e6, everyMs: second }

export const signUpsOfNetwork: Limit = { name: 'sign-up', burst: 30, everyMs: minute }

/** The answer reveals who has an account, so checking a list of addresses must be slow. */
export const emailQuestionsOfNetwork: Limit = { name: 'email exists', burst: 20, everyMs: minute }

/** The same for all networks together: a botnet must not check a list either. */
export const emailQuestionsOfAll: Limit = { name: 'email exists, all', burst: 1000, everyMs: 200 }
/** A refused sign-up reveals it too. */
export const signUpsOfAll: Limit = { name: 'sign-up, all', burst: 1000, everyMs: second }

/** Refreshes of one session: clients need one every ten minutes, and each writes two rows. */
export const refreshesOfSession: Limit = { name: 'refresh', burst: 60, everyMs: 10 * second }

export const anonymousTokensOfNetwork: Limit = { name: 'anonymous', burst: 60, everyMs: second }

/** Codes that a provider rejected: each costs a call to the provider in our name. */
export const externalSignInsOfNetwork: Limit = {
  name: 'external sign-in',
  burst: 60,
  everyMs: 5 * second,
}

/** Mails requested by one network, to any address. */
export const mailsOfNetwork: Limit = { name: 'mail network', burst: 30, everyMs: minute }

/** Mails to one address requested by one network. */
export const mailsOfAddressInNetwork: Limit = {
  name: 'mail address network',
  burst: 3,
  everyMs: 10 * minute,
}

/**
 * Mails to one address requested by all networks together. An attacker who exhausts it has sent the
 * owner the newest link, which stays the newest for ten minutes.
 */
export const mailsOfAddress: Limit = { name: 'mail address', burst: 10, everyMs: 10 * minute }

/** Uses of mailed links: they cannot be guessed, but each new password costs a hash. */
export const emailTokensOfNetwork: Limit = { name: 'email token', burst: 30, everyMs: 5 * second }
