import { Type } from 'typebox'

export const Realm = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'The auth provider (realm)',
})

// 254: the longest address of RFC 5321. The pattern of spec §5 is checked by the service.
export const Email = Type.String({ maxLength: 254 })

// The rules of spec §5 are checked by the service; this only keeps a flood from being hashed.
export const Password = Type.String({ maxLength: 1024 })

export const Token = Type.Object({
  tokenType: Type.String({ examples: ['Bearer'] }),
  accessToken: Type.String(),
  refreshToken: Type.Optional(Type.String()),
})

/** The id of an OpenID provider that people sign in with. */
export const Broker = Type.String({ pattern: '^[a-z0-9-]{1,32}$', examples: ['sample'] })
