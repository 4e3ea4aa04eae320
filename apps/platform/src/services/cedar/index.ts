import { publishKeyPrefix } from '@grove/contract/cedar/publish-key.rules'
import { openJobQueue } from '../../core/jobs/platform-jobs.ts'
import { deriveSecret, readSecret } from '../../core/secret.ts'
import { defineService } from '../../core/service.ts'
import { aboutRoutes } from './about/about.routes.ts'
import { activityRoutes } from './activity/activity.routes.ts'
import { apiKeyRoutes } from './api-key/api-key.routes.ts'
import { verifyApiKey } from './api-key/api-key.service.ts'
import { catalogueRoutes } from './catalogue/catalogue.routes.ts'
import { events, type CedarContext } from './context.ts'
import { differenceRoutes } from './difference/difference.routes.ts'
import { cedarJobs, type CedarJobs } from './jobs.ts'
import { previewRoutes } from './preview/preview.routes.ts'
import { failureRoutes } from './failure/failure.routes.ts'
import { linkRoutes } from './link/link.routes.ts'
import { openPackageKey } from './link/package-key.ts'
import { notificationRoutes } from './notification/notification.routes.ts'
import { productVersionRoutes } from './product-version/product-version.routes.ts'
import { productRoutes } from './product/product.routes.ts'
import { providerAdminRoutes } from './provider-admin/provider-admin.routes.ts'
import { providerRequestRoutes } from './provider-request/provider-request.routes.ts'
import { providerRoutes } from './provider/provider.routes.ts'
import { publishKeyRoutes } from './publish-key/publish-key.routes.ts'
import { verifyKey as verifyPublishKey } from './publish-key/publish-key.service.ts'
import { pushDeviceRoutes } from './push-device/push-device.routes.ts'
import { openPushTransport } from './push-transport/open-push-transport.ts'
import { readSettings } from './settings.ts'
import { stageRoutes } from './stage/stage.routes.ts'
import { storageRoutes } from './storage/storage.routes.ts'
import { userRoutes } from './user/user.routes.ts'
import type { CedarTables } from './tables.ts'

const apiVersion = '1.7'

/** The mini-app catalogue: providers, products, versions, packages and images. */
export const cedar = defineService({
  name: 'cedar',
  apiVersion,
  settings: readSettings,
  migrations: new URL('./migrations/', import.meta.url),
  constraints: {
    product_version_number: ['version_taken', 'The product already has this version.'],
  },
  jobs: cedarJobs,
  events,
  open: async (platform, settings): Promise<CedarContext> => {
    const secret = await readSecret(platform.config)
    return {
      ...platform,
      db: platform.db.withTables<CedarTables>(),
      settings,
      jobs: openJobQueue<CedarJobs>(platform, 'cedar', cedarJobs),
      keySecret: deriveSecret(secret, 'cedar provider keys'),
      packageKey: await openPackageKey(platform.config),
      receiptSecret: deriveSecret(secret, 'cedar notification receipts'),
      push: openPushTransport(settings.push),
    }
  },
  register: async (app, context) => {
    app.verifyKey = (key) =>
      (key.startsWith(publishKeyPrefix) ? verifyPublishKey : verifyApiKey)(context, key)
    aboutRoutes(app, apiVersion)
    stageRoutes(app, context)
    apiKeyRoutes(app, context)
    publishKeyRoutes(app, context)
    providerRoutes(app, context)
    providerRequestRoutes(app, context)
    providerAdminRoutes(app, context)
    userRoutes(app, context)
    productRoutes(app, context)
    productVersionRoutes(app, context)
    await previewRoutes(app, context)
    storageRoutes(app, context)
    catalogueRoutes(app, context)
    linkRoutes(app, context)
    activityRoutes(app, context)
    failureRoutes(app, context)
    differenceRoutes(app, context)
    pushDeviceRoutes(app, context)
    notificationRoutes(app, context)
  },
})
