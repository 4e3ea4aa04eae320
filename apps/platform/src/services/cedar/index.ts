import type { Service } from '../../core/platform.ts'
import { catalogueRoutes } from './catalogue/catalogue.routes.ts'
import { productVersionRoutes } from './product-version/product-version.routes.ts'
import { productRoutes } from './product/product.routes.ts'
import { providerRoutes } from './provider/provider.routes.ts'
import { sweepObjects } from './storage/objects.service.ts'
import { storageRoutes } from './storage/storage.routes.ts'

const sweepInterval = 10 * 60 * 1000

/** The mini-app catalogue: providers, products, versions, packages and images. */
export const cedar: Service = {
  name: 'cedar',
  migrations: new URL('./migrations/', import.meta.url),
  constraints: {
    product_version_number: ['version_taken', 'The product has this version already.'],
  },
  register: (app, platform) => {
    providerRoutes(app, platform)
    productRoutes(app, platform)
    productVersionRoutes(app, platform)
    storageRoutes(app, platform)
    catalogueRoutes(app, platform)
    const sweep = () =>
      sweepObjects(platform).catch((error: unknown) => {
        app.log.error({ err: error }, 'removing unused objects failed; it is tried again later')
      })
    const timer = setInterval(() => void sweep(), sweepInterval).unref()
    app.addHook('onClose', () => clearInterval(timer))
  },
}
