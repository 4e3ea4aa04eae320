import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { zipFolder } from '../../apps/platform/src/sample/zip-folder.ts'
import type { Product } from '@grove/contract/cedar/product'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import type { Account } from './account.ts'

export type Locale = 'en-US' | 'ru-RU'
export type Titles = Partial<Record<Locale, string>>

const apps = fileURLToPath(new URL('../../apps/platform/src/sample/apps/', import.meta.url))
const sampleApp = join(apps, 'habit-garden')

/** Images drawn for a sample app. */
export const icon = join(sampleApp, 'icon.png')
export const screenshot = (name: 'en-1' | 'en-2' | 'ru-1') =>
  join(sampleApp, 'screenshots', `${name}.png`)

/** A working mini-app, as a developer would zip it. */
export const miniAppZip = () => zipFolder(join(sampleApp, 'v1.0.0'))

/** The same with enough sound that its upload takes a while. */
export async function largeMiniAppZip(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'grove-mini-app-'))
  try {
    await cp(join(sampleApp, 'v1.0.0'), folder, { recursive: true })
    await writeFile(join(folder, 'rain.pcm'), randomBytes(1_500_000))
    return await zipFolder(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

const translations = (titles: Titles) =>
  Object.entries(titles).map(([localeCode, title]) => ({ localeCode, title }))

export const createApp = (account: Account, titles: Titles) =>
  account.call<Product>('/api/developer/product', {
    method: 'POST',
    body: { translations: translations(titles) },
  })

/** A version, with the package if one is given. */
export async function createVersion(
  account: Account,
  { productId, translations }: Product,
  version: string,
  zip?: Buffer,
): Promise<ProductVersion> {
  const created = await account.call<ProductVersion>('/api/developer/productVersion', {
    method: 'POST',
    body: { productId, version, translations },
  })
  if (!zip) return created
  const body = new FormData()
  body.append('productVersionId', created.productVersionId)
  body.append('file', new File([new Uint8Array(zip)], 'mini-app.zip'))
  return account.call('/api/storage/productVersion/miniApp', { method: 'POST', body })
}

export const switchVersion = (account: Account, version: ProductVersion, enabled: boolean) =>
  account.call<ProductVersion>(`/api/developer/productVersion/${version.productVersionId}`, {
    method: 'PUT',
    body: { enabled },
  })

export const readVersion = (account: Account, { productVersionId }: ProductVersion) =>
  account.call<ProductVersion>(`/api/developer/productVersion/${productVersionId}`)

/** The numbers of the live versions. */
export async function liveVersions(account: Account, { productId }: Product): Promise<string[]> {
  const { items } = await account.call<{ items: ProductVersion[] }>(
    `/api/developer/productVersion?productId=${productId}`,
  )
  return items.filter(({ enabled }) => enabled).map(({ version }) => version)
}
