import type { Product } from '@grove/contract/cedar/product'
import { services } from '../../../session/services.ts'
import { currentLocale } from '../../../ui/i18n/locale.ts'
import { useSharedLink } from '../../../ui/page/shared-link.ts'
import { titleIn } from './titles.ts'

/** Where the public pages are: next to the service that has the links. */
export const linkOrigin = () => new URL(services.cedar.url || '/', location.href).origin

export const linkAddress = (linkId: string) => `${linkOrigin()}/${linkId}`

/** On a product's page, the header shares the product's link if it has one. */
export function useProductShared({ linkId, translations }: Product) {
  const { title } = titleIn(translations, currentLocale())
  useSharedLink(title, linkId === null ? undefined : linkAddress(linkId))
}
