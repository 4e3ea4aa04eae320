import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { isDeviceId } from '@grove/contract/maple/fleet/device.rules'
import { icSerial } from '@grove/secure-element/cplc'
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
const isPartOfUuid = (text: string) => /^[\da-f-]{2,36}$/i.test(text)

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
    label: msg`Devices`,
    isFor: ({ isAdmin }) => isAdmin,
    search: async (q, _locale, signal) => {
      const ask = async (query: { q: string } | { innerId: string }) =>
        (await api.maple.get('/api/maple/device', { query: { ...query, limit }, signal })).items
      // The search does not look for what a wearable is known by inside.
      const found = await Promise.all([isDeviceId(q) ? ask({ innerId: q }) : [], ask({ q })])
      const byId = new Map(found.flat().map((device) => [device.id, device]))
      return [...byId.values()].slice(0, limit).map(({ id, name, innerId }) => ({
        id,
        title: name,
        detail: innerId === q ? `${id} · ${innerId}` : id,
        href: `/dashboard/maple/devices?${new URLSearchParams({ device: id })}`,
      }))
    },
  },
  {
    id: 'elements',
    label: msg`Secure elements`,
    isFor: ({ isAdmin }) => isAdmin,
    search: async (q, _locale, signal) => {
      // Anything else is the name of something.
      if (!/^[\da-f\s:]{4,}$/i.test(q)) return []
      const { items } = await api.maple.get('/api/maple/se/element', {
        query: { q, limit },
        signal,
      })
      return items.map(({ cplc, device }) => ({
        id: cplc,
        title: icSerial(cplc),
        detail: device ? `${device.name} · ${cplc}` : cplc,
        href: `/dashboard/maple/secure_elements/${cplc}`,
      }))
    },
  },
  {
    id: 'mapleAccounts',
    label: msg`Maple accounts`,
    isFor: ({ isAdmin }) => isAdmin,
    search: async (q, _locale, signal) => {
      if (!isPartOfUuid(q)) return []
      const { items } = await api.maple.get('/api/maple/account', { query: { q, limit }, signal })
      return items.map(({ id, roles }) => ({
        id,
        title: id,
        ...(roles.length > 0 && { detail: roles.join(', ') }),
        href: `/dashboard/maple/accounts?${new URLSearchParams({ account: id })}`,
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
