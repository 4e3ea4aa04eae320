import { Type } from 'typebox'
import { defineCalls } from '../call.ts'
import { LocaleCode, Name, Nullable, Right, Strict, Uuid } from '../shapes.ts'
import {
  hostPattern,
  maxHosts,
  maxRights,
  permissionPattern,
  rightModes,
} from './mini-app-right.rules.ts'
import { mobyRolePattern, maxMobyRoles } from './moby-api.rules.ts'
import { maxProviderNameLength, providerStages } from './provider.rules.ts'

const MobyRole = Type.String({ pattern: mobyRolePattern, examples: ['fleet-operator'] })
const MobyRoleList = Type.Array(MobyRole, { maxItems: maxMobyRoles, uniqueItems: true })

/** The names that the Moby API has for the owner and for the other members. */
export const MobyRoles = Strict({ owner: MobyRoleList, member: MobyRoleList })

export const MiniAppRights = Type.Array(
  Strict({
    permission: Type.String({ pattern: permissionPattern, examples: ['camera'] }),
    mode: Type.Enum(rightModes),
    hosts: Type.Array(Type.String({ pattern: hostPattern, examples: ['api.example.com'] }), {
      maxItems: maxHosts,
      uniqueItems: true,
    }),
  }),
  { maxItems: maxRights },
)

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
  /** The end of the key, such as `••••9f3a`; null without a key. The key itself cannot be read. */
  mobyApiKey: Nullable(Type.String()),
  /** Where the provider’s IoT API is; null: this platform. */
  mobyApiUrl: Nullable(Type.String()),
  mobyRoles: MobyRoles,
  /** Permissions of the provider’s mini-apps. What is not listed is not allowed. */
  miniAppRights: MiniAppRights,
})
export type Provider = Type.Static<typeof Provider>

export const providerCalls = defineCalls('cedar', {
  'GET /api/provider': {
    summary: 'List the caller’s providers',
    access: 'developer',
    query: Strict({ providerId: Type.Optional(Uuid) }),
    response: Type.Array(Provider),
  },
  'POST /api/provider': {
    summary: 'Create a provider of one’s own',
    description:
      'Its maker owns it, creates its API keys and publishes under its name. How many a developer may own is a setting of the platform; administrators make providers for others.',
    access: 'developer',
    body: Strict({ name: Name(maxProviderNameLength) }),
    response: Provider,
    status: 201,
    problems: ['forbidden', 'limit_reached'],
  },
  'GET /api/provider/rights': {
    summary: 'Whether the caller may create a provider',
    access: 'developer',
    response: Type.Object({ create: Right('forbidden', 'limit_reached') }),
  },
})
