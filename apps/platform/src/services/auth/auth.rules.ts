import { definePolicy, refusal } from '../../core/policy.ts'

interface SignInMethods {
  hasPassword: boolean
  identityCount: number
}

/** Rights of people on their identities and of administrators on accounts, by current state. */
export const { can, assertAllowed, rightsOf } = definePolicy({
  'account.disable': ({ id }: { id: string }, actor) =>
    id === actor.id
      ? refusal('own_account', 'You cannot disable your own account. Ask another administrator.')
      : null,

  'identity.unlink': ({ hasPassword, identityCount }: SignInMethods) =>
    !hasPassword && identityCount === 1
      ? refusal(
          'last_sign_in_method',
          'This identity is the only way to sign in. Set a password or link another one first.',
        )
      : null,
})
