/** Who can be chosen at the embedded provider: anybody at this machine may be either. */
export const sampleIdentities = [
  {
    sub: 'iris',
    name: 'Iris Identity',
    // Nobody's yet: signing in creates an account.
    email: 'iris@identity.test',
    email_verified: true,
    locale: 'en-US',
  },
  {
    sub: 'dana',
    name: 'Dana Developer',
    // A sample account's, which has to sign in before the identity is linked to it.
    email: 'developer@grove.test',
    email_verified: true,
    locale: 'en-US',
  },
] as const

export type SampleIdentity = (typeof sampleIdentities)[number]
