import { accountAdminCalls } from './auth/account-admin.ts'
import { emailCalls } from './auth/email.ts'
import { externalCalls } from './auth/external.ts'
import { profileCalls } from './auth/profile.ts'
import { sessionCalls } from './auth/session.ts'
import { catalogueCalls } from './cedar/catalogue.ts'
import { productVersionCalls } from './cedar/product-version.ts'
import { productCalls } from './cedar/product.ts'
import { providerCalls } from './cedar/provider.ts'
import { storageCalls } from './cedar/storage.ts'
import { userInfoCalls } from './core/user-info.ts'
import { deviceCalls } from './maple/device.ts'

/** Every call of the platform, keyed by method and path. */
export const calls = {
  ...sessionCalls,
  ...externalCalls,
  ...emailCalls,
  ...profileCalls,
  ...accountAdminCalls,
  ...userInfoCalls,
  ...catalogueCalls,
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
export type { Account } from './auth/account-admin.ts'
export { signInMethods, type ExternalLoginInfo } from './auth/external.ts'
export type { AccountSession, Identity, Profile } from './auth/profile.ts'
export type { CatalogueProduct, CatalogueProductDetails } from './cedar/catalogue.ts'
export { deviceStates, deviceTypes, type Device } from './maple/device.ts'
export type { PackageReport, ProductVersion } from './cedar/product-version.ts'
export type { Product } from './cedar/product.ts'
export type { Provider } from './cedar/provider.ts'
