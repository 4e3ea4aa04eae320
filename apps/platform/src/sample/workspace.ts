import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { locales } from '@grove/contract/locale.rules'
import type { Actor } from '../core/actor.ts'
import type { Platform } from '../core/platform.ts'
import type { CedarContext } from '../services/cedar/context.ts'
import { cedar } from '../services/cedar/index.ts'
import {
  createVersion,
  enableVersion,
} from '../services/cedar/product-version/product-version.service.ts'
import { createProduct, listProducts } from '../services/cedar/product/product.service.ts'
import { createProvider } from '../services/cedar/provider-admin/provider-admin.service.ts'
import {
  ensureGenericProvider,
  listProviders,
} from '../services/cedar/provider/provider.service.ts'
import { saveProductIcon } from '../services/cedar/storage/icon.service.ts'
import { savePackage } from '../services/cedar/storage/mini-app.service.ts'
import { addImage } from '../services/cedar/storage/screenshot.service.ts'
import { maple } from '../services/maple/index.ts'
import { fillFleet, sampleOrigin } from './fleet.ts'
import { addPrograms, type Organisation } from './programs.ts'
import { openSampleAccounts } from './sample-accounts.ts'
import { samples, type SampleApp, type SampleVersion } from './samples.ts'
import { zipFolder } from './zip-folder.ts'

const fleetSize = 60

/**
 * The accounts, providers, apps, devices and programs of a first start. Existing ones stay unchanged,
 * so an interrupted start continues at the next; programs are created once, with their stage.
 */
export async function createSampleWorkspace(platform: Platform): Promise<void> {
  const [developerId = '', adminId = ''] = await openSampleAccounts(platform)
  const developer = sampleActor(developerId, 'DEVELOPER')
  const apps = platform.services.includes(cedar.name) ? await cedar.open(platform) : undefined
  const organisation = apps && (await addApps(apps, developer))
  if (!platform.services.includes(maple.name)) return
  const devices = await maple.open(platform)
  await fillFleet(devices, {
    devices: fleetSize,
    devicesADay: 2,
    actor: sampleActor(adminId, 'ADMIN'),
  })
  if (apps && organisation) await addPrograms(apps, devices, developer, organisation)
}

const sampleActor = (id: string, role: string): Actor => ({
  id,
  roles: [role],
  sessionId: undefined,
  origin: sampleOrigin,
})

/** Returns the organisation that owns one of the apps. */
async function addApps(context: CedarContext, actor: Actor): Promise<Organisation> {
  await ensureGenericProvider(context, actor)
  const providers = await listProviders(context, actor, {})
  const organisation =
    providers.find((provider) => !provider.isDefault) ??
    (await createProvider(context, actor, { name: 'Harbour Studio' }))
  const { items } = await listProducts(context, actor, {
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
    await addApp(context, actor, app, newest, isOrganisations ? organisation.id : undefined)
  }
  return organisation
}

async function addApp(
  context: CedarContext,
  actor: Actor,
  app: SampleApp,
  newest: SampleVersion,
  providerId: string | undefined,
): Promise<void> {
  const { productId } = await createProduct(context, actor, {
    providerId,
    translations: locales.map((localeCode) => ({
      localeCode,
      title: newest.translations[localeCode].title,
    })),
  })
  await saveProductIcon(context, actor, { productId, file: file(app.icon) })
  for (const version of app.versions) {
    const { productVersionId, images } = await createVersion(context, actor, {
      productId,
      version: version.version,
      translations: locales.map((localeCode) => ({
        localeCode,
        ...version.translations[localeCode],
      })),
    })
    // A later version has the screenshots of the one before it.
    if (images.length === 0)
      for (const localeCode of locales)
        for (const path of app.screenshots[localeCode])
          await addImage(context, actor, { productVersionId, localeCode, file: file(path) })
    const stream = Readable.from([await zipFolder(version.folder)])
    await savePackage(context, actor, {
      productVersionId,
      file: { fileName: `${app.id}.zip`, stream },
    })
    await enableVersion(context, actor, { id: productVersionId })
  }
}

const file = (path: string) => ({ fileName: basename(path), stream: createReadStream(path) })
