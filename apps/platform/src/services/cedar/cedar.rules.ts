import type { AdminProvider } from '@grove/contract/cedar/provider-admin'
import type { Notification } from '@grove/contract/cedar/notification'
import type { Product } from '@grove/contract/cedar/product'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import type { ProviderRequest } from '@grove/contract/cedar/provider-request'
import { defaultLocale } from '@grove/contract/locale.rules'
import { isAdmin, type AnyActor } from '../../core/actor.ts'
import { definePolicy, refusal } from '../../core/policy.ts'

interface ProviderFacts extends Pick<AdminProvider, 'isDefault'> {
  use: Pick<AdminProvider['use'], 'products'>
}
type RequestFacts = Pick<ProviderRequest, 'state' | 'requestedBy'>
type ProductFacts = Pick<Product, 'liveVersion' | 'versionCount' | 'versionLimit'>
type VersionFacts = Pick<
  ProductVersion,
  'version' | 'enabled' | 'isFinal' | 'package' | 'translations' | 'missingPermissions'
>

const decided = (state: ProviderRequest['state']) =>
  state === 'open' ? null : refusal('approval_decided', 'The request is no longer open.')

/** Rights of a provider's members on its products and versions, by state. */
export const { can, assertAllowed, rightsOf } = definePolicy({
  'provider.change': (_provider: ProviderFacts, actor: AnyActor) =>
    isAdmin(actor) ? null : refusal('forbidden', 'Administrators change providers.'),

  'provider.delete': ({ isDefault, use }: ProviderFacts, actor: AnyActor) => {
    if (!isAdmin(actor)) return refusal('forbidden', 'Administrators delete providers.')
    if (isDefault)
      return refusal('provider_is_personal', 'A personal provider stays with its developer.')
    if (use.products > 0)
      return refusal(
        'provider_in_use',
        `The provider has ${use.products} apps. Delete or transfer them first.`,
      )
    return null
  },

  'request.decide': ({ state }: RequestFacts, actor: AnyActor) =>
    isAdmin(actor)
      ? decided(state)
      : refusal('forbidden', 'Administrators decide on requests for providers.'),

  'request.withdraw': ({ state, requestedBy }: RequestFacts, actor: AnyActor) =>
    requestedBy === actor.id
      ? decided(state)
      : refusal('forbidden', 'Only the person who made the request withdraws it.'),

  'product.delete': ({ liveVersion }: ProductFacts) =>
    liveVersion
      ? refusal(
          'product_is_live',
          `Version ${liveVersion.version} is live; disable it before the product is deleted.`,
        )
      : null,

  'version.create': ({ versionCount, versionLimit }: ProductFacts) =>
    versionCount >= versionLimit
      ? refusal(
          'limit_reached',
          `The product has ${versionCount} of ${versionLimit} versions. Delete one, or ask an administrator to raise the limit.`,
        )
      : null,

  /** Also checked for a live version: a change must leave it publishable. */
  'version.enable': (version: VersionFacts) => {
    const { package: file, translations, enabled, missingPermissions: missing } = version
    if (file === null)
      return refusal(
        'package_missing',
        'The version has no package that passed its checks; upload one first.',
      )
    // A live version stays live when a right is revoked, and its texts can still be corrected.
    if (!enabled && missing.length > 0)
      return refusal(
        'permission_missing',
        `The package requires ${missing.join(', ')}, which the provider was not granted. An administrator can grant it under the provider’s rights.`,
      )
    if (!translations.some(({ localeCode }) => localeCode === defaultLocale))
      return refusal(
        'translation_missing',
        `A live version needs a title in ${defaultLocale}, the default locale.`,
      )
    return null
  },

  'version.delete': ({ enabled, version }: VersionFacts) =>
    enabled
      ? refusal('version_is_live', `Version ${version} is live; disable it before it is deleted.`)
      : null,

  'version.replacePackage': ({ isFinal, version }: VersionFacts) =>
    isFinal
      ? refusal(
          'version_is_final',
          `Version ${version} has been live or downloaded, so its package can no longer change. Create a new version.`,
        )
      : null,

  /** A link can stay on a version whose package is final. */
  'version.pin': ({ state, version }: Pick<ProductVersion, 'state' | 'version'>) =>
    state === 'live' || state === 'previous'
      ? null
      : refusal(
          'version_never_live',
          `Version ${version} has never been live, so a link cannot stay with it. Publish it first.`,
        ),

  'notification.cancel': ({ state }: Pick<Notification, 'state'>) =>
    state === 'scheduled'
      ? null
      : refusal(
          'notification_sent',
          state === 'sending'
            ? 'The notification is being sent, so it can no longer be cancelled.'
            : 'The notification has ended; there is nothing to cancel.',
        ),

  'version.download': ({ package: file }: VersionFacts) =>
    file === null ? refusal('package_missing', 'The version has no package yet.') : null,
})
