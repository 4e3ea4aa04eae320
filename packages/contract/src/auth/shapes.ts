import { Type } from 'typebox'
import { maxEmailLength } from './account.rules.ts'

export const Realm = Type.String({
  minLength: 1,
  maxLength: 64,
  examples: ['grove'],
  description: 'The auth provider (realm)',
})

// The service checks the pattern of spec §5.
export const Email = Type.String({
  maxLength: maxEmailLength,
  examples: ['someone@grove.test'],
})

// The service checks the rules of spec §5; this limit only saves it from hashing megabytes.
export const Password = Type.String({ maxLength: 1024, examples: ['Meadow!2026'] })

export const Token = Type.Object({
  tokenType: Type.String({ examples: ['Bearer'] }),
  accessToken: Type.String(),
  refreshToken: Type.Optional(Type.String()),
})

/** The id of an OpenID provider that people sign in with. */
export const Broker = Type.String({ pattern: '^[a-z0-9-]{1,32}$', examples: ['sample'] })
