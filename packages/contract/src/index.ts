import { sessionCalls } from './auth/session.ts'
import { productVersionCalls } from './cedar/product-version.ts'
import { productCalls } from './cedar/product.ts'
import { providerCalls } from './cedar/provider.ts'
import { storageCalls } from './cedar/storage.ts'
import { deviceCalls } from './maple/device.ts'

/** Every call of the platform, keyed by method and path. */
export const calls = {
  ...sessionCalls,
  ...providerCalls,
  ...productCalls,
  ...productVersionCalls,
  ...storageCalls,
  ...deviceCalls,
}
export type Calls = typeof calls

export type {
  Access,
  BodyOf,
  Call,
  CallKey,
  FormOf,
  ParamsOf,
  QueryOf,
  ResponseOf,
} from './call.ts'
export { Problem, type LocaleCode } from './shapes.ts'
export { deviceStates, deviceTypes, type Device } from './maple/device.ts'
export type { PackageReport, ProductVersion } from './cedar/product-version.ts'
export type { Product } from './cedar/product.ts'
export type { Provider } from './cedar/provider.ts'
