import type { Service } from '../../core/platform.ts'
import { productVersionRoutes } from './product-version/product-version.routes.ts'
import { productRoutes } from './product/product.routes.ts'
import { providerRoutes } from './provider/provider.routes.ts'

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
  },
}
