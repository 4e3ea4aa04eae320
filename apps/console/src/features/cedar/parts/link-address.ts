import type { Product } from '@grove/contract/cedar/product'
import { services } from '../../../session/services.ts'
import { currentLocale } from '../../../ui/i18n/locale.ts'
import { useSharedLink } from '../../../ui/page/shared-link.ts'
import { titleIn } from './titles.ts'

/** Where the public pages are: beside the service that knows the links. */
export const linkOrigin = () => new URL(services.cedar.url || '/', location.href).origin

export const linkAddress = (linkId: string) => `${linkOrigin()}/${linkId}`

/** On a page of the product, the header shares the product's link when it has one. */
export function useProductShared({ linkId, translations }: Product) {
  const { title } = titleIn(translations, currentLocale())
  useSharedLink(title, linkId === null ? undefined : linkAddress(linkId))
}
