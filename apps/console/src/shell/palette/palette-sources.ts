import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { isDeviceId } from '@grove/contract/maple/fleet/device.rules'
import { chipNumber } from '@grove/secure-element/cplc'
import { api } from '../../session/api.ts'
import type { Viewer } from '../../session/session.ts'
import type { Locale } from '../../ui/i18n/locale.ts'
import { isFor, type NavigationItem } from '../navigation.ts'

/** An item that the palette can open. */
export interface Entry {
  id: string
  title: string
  /** What distinguishes it from others of the same name. */
  detail?: string
  href: string
}

interface Asked {
  viewer: Viewer
  locale: Locale
  signal: AbortSignal
}

/** A kind of item that the platform searches. */
export interface Source {
  id: string
  label: MessageDescriptor
  access: NavigationItem['access']
  search: (text: string, asked: Asked) => Promise<Entry[]>
}

const limit = 5
const isPartOfUuid = (text: string) => /^[\da-f-]{2,36}$/i.test(text)

interface Request {
  query: { q: string; limit: number }
  signal: AbortSignal
}
type Named = Promise<{ items: readonly { id: string; name: string }[] }>

/** An item with a name, and a URL that opens its page or panel. */
const named = (
  id: string,
  label: MessageDescriptor,
  ask: (request: Request) => Named,
  hrefOf: (id: string) => string,
  access: NavigationItem['access'] = 'mapleDeveloper',
): Source => ({
  id,
  label,
  access,
  search: async (q, { signal }) => {
    const { items } = await ask({ query: { q, limit }, signal })
    return items.map((item) => ({ id: item.id, title: item.name, href: hrefOf(item.id) }))
  },
})

/** The name in a language, or in any other. */
function inLocale<T extends { localeCode: string }>(all: readonly T[], locale: Locale) {
  return all.find(({ localeCode }) => localeCode === locale) ?? all[0]
}

const maple = '/dashboard/maple'

/** Everything that the platform searches, in the order in which results are shown. */
export const sources: readonly Source[] = [
  {
    id: 'apps',
    label: msg`Apps`,
    access: 'developer',
    search: async (q, { locale, signal }) => {
      const { items } = await api.cedar.get('/api/developer/product', {
        query: { q, limit },
        signal,
      })
      return items.map(({ productId, translations, liveVersion }) => ({
        id: productId,
        title: inLocale(translations, locale)?.title ?? productId,
        ...(liveVersion && { detail: liveVersion.version }),
        href: `/dashboard/cedar/mobile/${productId}`,
      }))
    },
  },
  {
    id: 'devices',
    label: msg`Devices`,
    access: 'mapleDeveloper',
    search: async (q, { viewer, signal }) => {
      const ask = async (query: { q: string } | { innerId: string }) =>
        (await api.maple.get('/api/maple/device', { query: { ...query, limit }, signal })).items
      // The search does not cover a wearable's inner ID.
      const found = await Promise.all([isDeviceId(q) ? ask({ innerId: q }) : [], ask({ q })])
      const byId = new Map(found.flat().map((device) => [device.id, device]))
      return [...byId.values()].slice(0, limit).map(({ id, name, innerId }) => ({
        id,
        title: name,
        detail: innerId === q ? `${id} · ${innerId}` : id,
        href: viewer.isAdmin
          ? `${maple}/devices?${new URLSearchParams({ device: id })}`
          : `${maple}/devices/${encodeURIComponent(id)}`,
      }))
    },
  },
  {
    id: 'elements',
    label: msg`Secure elements`,
    access: 'mapleDeveloper',
    search: async (q, { signal }) => {
      // Names are covered by the search for devices.
      if (!/^[\da-f\s:]{4,}$/i.test(q)) return []
      const { items } = await api.maple.get('/api/maple/se/element', {
        query: { q, limit },
        signal,
      })
      return items.map(({ cplc, device }) => ({
        id: cplc,
        title: chipNumber(cplc),
        detail: device ? `${device.name} · ${cplc}` : cplc,
        href: `${maple}/secure_elements/${cplc}`,
      }))
    },
  },
  named(
    'products',
    msg`IoT products`,
    (request) => api.maple.get('/api/maple/products', request),
    (id) => `${maple}/products/${id}`,
  ),
  named(
    'images',
    msg`Binary images`,
    (request) => api.maple.get('/api/maple/binary_images', request),
    (id) => `${maple}/binary_images?${new URLSearchParams({ image: id })}`,
  ),
  named(
    'rollouts',
    msg`Rollouts`,
    (request) => api.maple.get('/api/maple/rollouts', request),
    (id) => `${maple}/rollouts/${id}`,
  ),
  named(
    'groups',
    msg`Groups of devices`,
    (request) => api.maple.get('/api/maple/group', request),
    (id) => `${maple}/groups?${new URLSearchParams({ group: id })}`,
  ),
  named(
    'cloudHandlers',
    msg`Cloud handlers`,
    (request) => api.maple.get('/api/maple/cloud_handlers', request),
    (id) => `${maple}/cloud_handlers/${id}`,
  ),
  named(
    'deviceHandlers',
    msg`Device handlers`,
    (request) => api.maple.get('/api/maple/device_handlers', request),
    (id) => `${maple}/device_handlers/${id}`,
  ),
  named(
    'scripts',
    msg`Scripts`,
    (request) => api.maple.get('/api/maple/scripts', request),
    (id) => `${maple}/scripts/${id}`,
  ),
  named(
    'templates',
    msg`Templates`,
    (request) => api.maple.get('/api/maple/templates', request),
    (id) => `${maple}/templates/${id}`,
  ),
  named(
    'applets',
    msg`Applets`,
    (request) => api.maple.get('/api/maple/applets', request),
    (id) => `${maple}/applets/${id}`,
  ),
  {
    id: 'providers',
    label: msg`Providers`,
    access: 'admin',
    search: async (q, { locale, signal }) => {
      const { items } = await api.cedar.get('/api/admin/provider', { query: { q, limit }, signal })
      return items.map(({ id, translations }) => ({
        id,
        title: inLocale(translations, locale)?.name ?? id,
        href: `/dashboard/cedar/providers?${new URLSearchParams({ provider: id })}`,
      }))
    },
  },
  named(
    'services',
    msg`Service providers`,
    (request) => api.maple.get('/api/maple/service', request),
    (id) => `${maple}/providers?${new URLSearchParams({ provider: id })}`,
    'admin',
  ),
  {
    id: 'mapleAccounts',
    label: msg`Maple accounts`,
    access: 'admin',
    search: async (q, { signal }) => {
      if (!isPartOfUuid(q)) return []
      const { items } = await api.maple.get('/api/maple/account', { query: { q, limit }, signal })
      return items.map(({ id, roles }) => ({
        id,
        title: id,
        ...(roles.length > 0 && { detail: roles.join(', ') }),
        href: `${maple}/accounts?${new URLSearchParams({ account: id })}`,
      }))
    },
  },
  {
    id: 'people',
    label: msg`People`,
    access: 'admin',
    search: async (q, { signal }) => {
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

export const sourcesFor = (viewer: Viewer) => sources.filter((source) => isFor(viewer, source))
