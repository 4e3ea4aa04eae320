import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { locales } from '@grove/contract/locale.rules'
import type { Platform } from '../core/platform.ts'
import type { Actor } from '../services/cedar/actor.ts'
import {
  createVersion,
  enableVersion,
} from '../services/cedar/product-version/product-version.service.ts'
import { createProduct, listProducts } from '../services/cedar/product/product.service.ts'
import {
  createOrganisationProvider,
  ensureGenericProvider,
  listProviders,
} from '../services/cedar/provider/provider.service.ts'
import { saveProductIcon } from '../services/cedar/storage/icon.service.ts'
import { savePackage } from '../services/cedar/storage/mini-app.service.ts'
import { addImage } from '../services/cedar/storage/screenshot.service.ts'
import { createSampleFleet, sampleOrigin } from './fleet.ts'
import { openSampleAccounts } from './sample-accounts.ts'
import { samples, type SampleApp, type SampleVersion } from './samples.ts'
import { zipFolder } from './zip-folder.ts'

const fleetSize = 60

/**
 * The accounts, providers, apps and devices that a first start shows. What is there already is
 * left as it is, so a start that was cut off goes on at the next.
 */
export async function createSampleWorkspace(platform: Platform): Promise<void> {
  const { services } = platform.config
  const [developerId, adminId] = await openSampleAccounts(platform)
  if (services.includes('cedar')) await addApps(platform, actorOf(developerId))
  if (services.includes('maple')) await createSampleFleet(platform, adminId ?? null, fleetSize)
}

const actorOf = (userId = ''): Actor => ({
  userId,
  isAdmin: false,
  origin: sampleOrigin,
})

async function addApps(platform: Platform, actor: Actor): Promise<void> {
  await ensureGenericProvider(platform, actor)
  const providers = await listProviders(platform, actor)
  const organisation =
    providers.find((provider) => !provider.isDefault) ??
    (await createOrganisationProvider(platform, actor, {
      name: 'Harbour Studio',
      ownerUserId: actor.userId,
    }))
  const { items } = await listProducts(platform, actor, {
    limit: 200,
    sort: 'createdAt',
    order: 'asc',
  })
  const titles = new Set(
    items.flatMap(({ translations }) => translations.map(({ title }) => title)),
  )
  for (const [index, app] of samples.entries()) {
    const newest = app.versions.at(-1)
    if (!newest || titles.has(newest.translations['en-US'].title)) continue
    // The last app belongs to the organisation, so that both kinds of provider have one.
    const isOrganisations = index === samples.length - 1
    await addApp(platform, actor, app, newest, isOrganisations ? organisation.id : undefined)
  }
}

async function addApp(
  platform: Platform,
  actor: Actor,
  app: SampleApp,
  newest: SampleVersion,
  providerId: string | undefined,
): Promise<void> {
  const { productId } = await createProduct(platform, actor, {
    providerId,
    translations: locales.map((localeCode) => ({
      localeCode,
      title: newest.translations[localeCode].title,
    })),
  })
  await saveProductIcon(platform, actor, productId, file(app.icon))
  for (const version of app.versions) {
    const { productVersionId } = await createVersion(platform, actor, {
      productId,
      version: version.version,
      translations: locales.map((localeCode) => ({
        localeCode,
        ...version.translations[localeCode],
      })),
    })
    for (const localeCode of locales)
      for (const path of app.screenshots[localeCode])
        await addImage(platform, actor, productVersionId, localeCode, file(path))
    await savePackage(platform, actor, productVersionId, {
      fileName: `${app.id}.zip`,
      stream: Readable.from([await zipFolder(version.folder)]),
    })
    await enableVersion(platform, actor, productVersionId)
  }
}

const file = (path: string) => ({ fileName: basename(path), stream: createReadStream(path) })
