import { Type } from 'typebox'
import { defineCalls } from '../call.ts'
import { LocaleCode, Nullable, Strict, Uuid } from '../shapes.ts'
import { providerStages } from './provider.rules.ts'

export const Provider = Type.Object({
  id: Uuid,
  /** The owner’s user id, as the access token’s `sub` has it. */
  ownerId: Type.String(),
  /** The developer's own generic provider; an organisation is `false`. */
  isDefault: Type.Boolean(),
  enabled: Type.Boolean(),
  stage: Type.Enum(providerStages),
  miniAppLinkId: Nullable(Type.String()),
  translations: Type.Array(Type.Object({ localeCode: LocaleCode, name: Type.String() })),
  iconUrl: Nullable(Type.String()),
})
export type Provider = Type.Static<typeof Provider>

export const providerCalls = defineCalls('cedar', {
  'GET /api/provider': {
    summary: 'List the caller’s providers',
    access: 'developer',
    query: Strict({ providerId: Type.Optional(Uuid) }),
    response: Type.Array(Provider),
  },
})
