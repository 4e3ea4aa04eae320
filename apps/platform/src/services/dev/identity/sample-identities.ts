/** The identities of the embedded provider: anyone at this machine can choose either. */
export const sampleIdentities = [
  {
    sub: 'iris',
    name: 'Iris Identity',
    // Has no account yet: signing in creates one.
    email: 'iris@identity.test',
    email_verified: true,
    locale: 'en-US',
  },
  {
    sub: 'dana',
    name: 'Dana Developer',
    // Has the address of a sample account, which must sign in before the identity is linked to it.
    email: 'developer@grove.test',
    email_verified: true,
    locale: 'en-US',
  },
] as const

export type SampleIdentity = (typeof sampleIdentities)[number]
