import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { api } from '../../session/api.ts'
import type { Viewer } from '../../session/session.ts'
import type { Locale } from '../../ui/i18n/locale.ts'

/** One thing that the palette can open. */
export interface Entry {
  id: string
  title: string
  /** What tells it from others of the same name. */
  detail?: string
  href: string
}

/** A kind of thing that the platform searches. */
export interface Source {
  id: string
  label: MessageDescriptor
  isFor: (viewer: Viewer) => boolean
  search: (text: string, locale: Locale, signal: AbortSignal) => Promise<Entry[]>
}

const limit = 5

/** Everything that is searched on the platform, in the order in which it is shown. */
export const sources: readonly Source[] = [
  {
    id: 'apps',
    label: msg`Apps`,
    isFor: ({ isDeveloper, isAdmin }) => isDeveloper || isAdmin,
    search: async (q, locale, signal) => {
      const { items } = await api.cedar.get('/api/developer/product', {
        query: { q, limit },
        signal,
      })
      return items.map(({ productId, translations, liveVersion }) => {
        const own = translations.find(({ localeCode }) => localeCode === locale)
        return {
          id: productId,
          title: (own ?? translations[0])?.title ?? productId,
          ...(liveVersion && { detail: liveVersion.version }),
          href: `/dashboard/cedar/mobile/${productId}`,
        }
      })
    },
  },
  {
    id: 'devices',
    label: msg`Devices and secure elements`,
    isFor: ({ isAdmin }) => isAdmin,
    search: async (q, _locale, signal) => {
      const { items } = await api.maple.get('/api/maple/device', { query: { q, limit }, signal })
      return items.map(({ id, name }) => ({
        id,
        title: name,
        detail: id,
        href: `/dashboard/maple/devices?${new URLSearchParams({ device: id })}`,
      }))
    },
  },
  {
    id: 'people',
    label: msg`People`,
    isFor: ({ isAdmin }) => isAdmin,
    search: async (q, _locale, signal) => {
      const { items } = await api.auth.get('/api/admin/account', { query: { q, limit }, signal })
      return items.map(({ id, email, name }) => ({
        id,
        title: email ?? name ?? id,
        ...(email && name && { detail: name }),
        href: `/dashboard/cedar/account/people?${new URLSearchParams({ q: email ?? id })}`,
      }))
    },
  },
]
