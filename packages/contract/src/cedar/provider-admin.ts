import { Type, type TSchema } from 'typebox'
import { changes, creates, defineCalls, listsBy } from '../call.ts'
import { locales } from '../locale.rules.ts'
import {
  LocaleCode,
  Name,
  noContent,
  Nullable,
  Right,
  SearchText,
  stored,
  Strict,
  Timestamp,
  Uuid,
} from '../shapes.ts'
import { maxApiKeyLength, shortestApiKey } from '../stage.rules.ts'
import { apiKeyOverlapHours, maxApiUrlLength } from './moby-api.rules.ts'
import {
  farePeriods,
  largestFare,
  largestLimits,
  maxProviderNameLength,
  maxRealmLength,
  maxFares,
  providerKinds,
  providerSorting,
  providerStages,
  storageApps,
  transferUndoHours,
} from './provider.rules.ts'
import { innerIdPattern } from '../maple/fleet/device.rules.ts'
import { ProductTranslation } from './product.ts'
import { MiniAppRights, MobyRoles, Provider } from './provider.ts'

/** The user id of an authentication service, which need not be a UUID. */
export const UserId = Type.String({ minLength: 1, maxLength: 255, examples: ['0198f0a2'] })

const limitsOf = <T extends TSchema>(limit: (largest: number) => T) => ({
  products: limit(largestLimits.products),
  versionsPerProduct: limit(largestLimits.versionsPerProduct),
  storageBytes: limit(largestLimits.storageBytes),
  members: limit(largestLimits.members),
  previewTokensPerHour: limit(largestLimits.previewTokensPerHour),
  notificationsPerDay: limit(largestLimits.notificationsPerDay),
})

/** Null: the limit of the stage. */
const ownLimit = (largest: number) => Nullable(Type.Integer({ minimum: 0, maximum: largest }))

const Day = Type.String({ format: 'date', examples: ['2026-03-01'] })

const Fare = Strict({
  id: Uuid,
  names: Type.Array(Strict({ localeCode: LocaleCode, name: Name(maxProviderNameLength) }), {
    minItems: 1,
    maxItems: locales.length,
  }),
  /** In minor units of the currency, such as cents. */
  amountMinor: Type.Integer({ minimum: 0, maximum: largestFare }),
  /** ISO 4217, such as EUR. */
  currency: Type.String({ pattern: '^[A-Z]{3}$', examples: ['EUR'] }),
  period: Type.Enum(farePeriods),
  /** The first and the last day that it is valid; null: without an end. */
  validFrom: Nullable(Day),
  validTo: Nullable(Day),
})

const AdminProvider = Type.Object({
  ...Provider.properties,
  authProvider: Nullable(Type.String()),
  /** Null: the limit of the stage. */
  limits: Type.Object(limitsOf(ownLimit)),
  /** The effective limits: the provider's own, or the stage's. */
  limitsInForce: Type.Object(limitsOf(() => Type.Integer())),
  fares: Type.Array(Fare),
  users: Type.Array(
    Type.Object({
      userId: Type.String(),
      isOwner: Type.Boolean(),
      /** The Moby API's names for this user: those of `mobyRoles`. */
      roles: Type.Array(Type.String()),
    }),
  ),
  /** The keys that are valid now, newest first, until `endsAt`. */
  apiKeys: Type.Array(
    Type.Object({
      id: Uuid,
      /** Null: an admin chose the key. */
      name: Nullable(Type.String()),
      last4: Type.String(),
      createdAt: Timestamp,
      endsAt: Nullable(Timestamp),
    }),
  ),
  use: Type.Object({
    products: Type.Integer(),
    liveProducts: Type.Integer(),
    /** Apps that have a link. */
    links: Type.Integer(),
    storageBytes: Type.Integer(),
  }),
  rights: Type.Object({
    /** Everything except its icon and API keys, which its members can change too. */
    change: Right('forbidden'),
    delete: Right('forbidden', 'provider_is_personal', 'provider_in_use'),
  }),
  ...stored,
})
export type AdminProvider = Type.Static<typeof AdminProvider>

const Bytes = Type.Integer({ minimum: 0 })
const ProviderStorage = Type.Object({
  /** Bytes of all files, each counted once. */
  used: Bytes,
  limit: Bytes,
  /** The apps with the largest files of their own. */
  apps: Type.Array(
    Type.Object({ productId: Uuid, translations: Type.Array(ProductTranslation), bytes: Bytes }),
  ),
  /** Of all other apps. */
  others: Type.Object({ apps: Type.Integer(), bytes: Bytes }),
  /** Files shared by several apps, and those of the provider itself. */
  sharedBytes: Bytes,
})
export type ProviderStorage = Type.Static<typeof ProviderStorage>

const Transfer = Type.Object({
  id: Uuid,
  /** Whose apps they were. */
  userId: Type.String(),
  at: Timestamp,
  undoUntil: Timestamp,
  products: Type.Integer(),
  /** How many of them the provider still has, which an undo returns. */
  returnable: Type.Integer(),
})
export type Transfer = Type.Static<typeof Transfer>

const { id, ownerId, isDefault, enabled, stage, translations, iconUrl } = Provider.properties

export const ProviderListItem = Type.Object({
  id,
  ownerId,
  isDefault,
  enabled,
  stage,
  translations,
  iconUrl,
  productCount: Type.Integer(),
  createdAt: Timestamp,
})
export type ProviderListItem = Type.Static<typeof ProviderListItem>

const name = Name(maxProviderNameLength)

export const providerAdminCalls = defineCalls('cedar', 'admin', {
  'GET /api/admin/provider': {
    summary: 'List providers',
    ...listsBy(ProviderListItem, providerSorting, {
      providerId: Uuid,
      ownerId: UserId,
      stage: Type.Enum(providerStages),
      kind: Type.Enum(providerKinds),
      enabled: Type.Boolean(),
      q: SearchText('Part of a name in any locale, or a whole id'),
    }),
  },
  'PUT /api/admin/provider/{id}': {
    summary: 'Change a provider',
    description: `Changes what is given. The apps of a disabled provider leave the catalogue. A new \`mobyApiKey\` takes the place of the one before, which works for ${apiKeyOverlapHours} hours more; null revokes every key at once. The key is stored as a hash, and no answer holds it.`,
    body: Strict({
      enabled: Type.Optional(Type.Boolean()),
      stage: Type.Optional(Type.Enum(providerStages)),
      translations: Type.Optional(
        Type.Array(Strict({ localeCode: LocaleCode, name }), {
          minItems: 1,
          maxItems: locales.length,
        }),
      ),
      limits: Type.Optional(Strict(limitsOf((most) => Type.Optional(ownLimit(most))))),
      authProvider: Type.Optional(
        Nullable(Type.String({ minLength: 1, maxLength: maxRealmLength, pattern: '^[\\w.-]+$' })),
      ),
      miniAppRights: Type.Optional(MiniAppRights),
      /** Random text of your own making, such as the output of `openssl rand -base64 32`. */
      mobyApiKey: Type.Optional(
        Nullable(
          Type.String({
            minLength: shortestApiKey,
            maxLength: maxApiKeyLength,
            examples: ['k7Qw2pZr9XtB4vNm6LsD8fGh3JcY5aEu1RoT0iWq'],
          }),
        ),
      ),
      mobyApiUrl: Type.Optional(
        Nullable(
          Type.String({
            minLength: 1,
            maxLength: maxApiUrlLength,
            examples: ['https://iot.example.com'],
          }),
        ),
      ),
      mobyRoles: Type.Optional(MobyRoles),
    }),
    ...changes(AdminProvider, 'already_exists'),
  },
  'GET /api/provider/{id}/storage': {
    summary: 'Show which apps take the storage of a provider',
    description: `The ${storageApps} largest one by one. Members see that of their provider.`,
    access: 'developer',
    response: ProviderStorage,
  },
  'DELETE /api/admin/provider/{id}/key/{keyId}': {
    summary: 'Revoke one API key of a provider at once',
    params: Strict({ id: Uuid, keyId: Uuid }),
    response: AdminProvider,
    problems: ['edit_conflict'],
  },
  'GET /api/cedar/provider': {
    summary: 'One provider with its users, limits, use and fares',
    description: 'Members see their own; `rights` says what the caller may do with it.',
    access: 'developer',
    query: Strict({ provider: Uuid }),
    response: AdminProvider,
    problems: ['not_found'],
  },
  'POST /api/cedar/provider': {
    summary: 'Create a provider for an organisation',
    description: 'Its owner is the user given, or the caller.',
    body: Strict({
      name,
      stage: Type.Optional(Type.Enum(providerStages)),
      ownerId: Type.Optional(UserId),
    }),
    ...creates(AdminProvider),
  },
  'PUT /api/cedar/provider': {
    summary: 'Change a provider’s name or fares',
    description: 'The name is set in every locale.',
    body: Strict({
      provider: Uuid,
      name: Type.Optional(name),
      fares: Type.Optional(Type.Array(Fare, { maxItems: maxFares })),
    }),
    ...changes(AdminProvider),
  },
  'DELETE /api/cedar/provider': {
    summary: 'Delete a provider that has no apps',
    query: Strict({ provider: Uuid }),
    ...noContent,
    problems: ['not_found', 'edit_conflict', 'provider_is_personal', 'provider_in_use'],
  },
  'POST /api/cedar/user': {
    summary: 'Link a user to a provider, or unlink one',
    description: 'With `isOwner` the user becomes its owner, and the former owner stays a member.',
    body: Strict({
      provider: Uuid,
      user: UserId,
      action: Type.Enum(['link', 'unlink']),
      isOwner: Type.Optional(Type.Boolean()),
    }),
    response: AdminProvider,
    problems: ['not_found', 'owner_stays', 'provider_is_personal', 'limit_reached'],
  },
  'POST /api/cedar/apps/transfer': {
    summary: 'Move every app of a user’s personal provider to another provider',
    body: Strict({ user_id: UserId, provider_id: Uuid }),
    response: Type.Object({
      productIds: Type.Array(Uuid),
      /** By which the transfer can be undone; null when nothing moved. */
      transferId: Nullable(Uuid),
    }),
    problems: ['not_found', 'limit_reached'],
  },
  'GET /api/cedar/apps/transfer': {
    summary: 'The transfers to a provider that can still be undone, the newest first',
    query: Strict({ provider: Uuid }),
    response: Type.Object({ items: Type.Array(Transfer) }),
    problems: ['not_found'],
  },
  'POST /api/cedar/apps/transfer/{id}/undo': {
    summary: 'Undo a transfer',
    description: `For ${transferUndoHours} hours. The apps that the provider still has go back to the user; \`stayed\` names the others: they are deleted, or were transferred again.`,
    response: Type.Object({ productIds: Type.Array(Uuid), stayed: Type.Array(Uuid) }),
    problems: ['transfer_is_final', 'limit_reached'],
  },
  'POST /api/admin/wearable/unlink': {
    summary: 'Unlink a wearable from its account',
    description:
      'A wearable is a device of Maple, known by its `innerId`. Repeating the call changes nothing. Maple answers it, with the api-version of Cedar.',
    body: Strict({
      innerId: Type.String({ pattern: innerIdPattern, examples: ['W-0042-77'] }),
    }),
    response: Type.Object({
      innerId: Type.String(),
      deviceId: Type.String(),
      /** The account that it was bound to until now; null if it was bound to none. */
      unlinkedFrom: Nullable(Type.String()),
    }),
    problems: ['not_found'],
  },
})
