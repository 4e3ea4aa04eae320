import { accountAdminCalls } from './auth/account-admin.ts'
import { emailCalls } from './auth/email.ts'
import { externalCalls } from './auth/external.ts'
import { profileCalls } from './auth/profile.ts'
import { sessionCalls } from './auth/session.ts'
import { activityCalls } from './cedar/activity.ts'
import { catalogueCalls } from './cedar/catalogue.ts'
import { differenceCalls } from './cedar/difference.ts'
import { previewCalls } from './cedar/preview.ts'
import { linkCalls } from './cedar/link.ts'
import { notificationCalls } from './cedar/notification.ts'
import { productVersionCalls } from './cedar/product-version.ts'
import { productCalls } from './cedar/product.ts'
import { providerAdminCalls } from './cedar/provider-admin.ts'
import { providerCalls } from './cedar/provider.ts'
import { publishKeyCalls } from './cedar/publish-key.ts'
import { pushDeviceCalls } from './cedar/push-device.ts'
import { storageCalls } from './cedar/storage.ts'
import { userInfoCalls } from './cedar/user-info.ts'
import type { ServiceName } from './call.ts'
import { mapleAccountCalls } from './maple/account.ts'
import { eventCallsOf } from './core/event.ts'
import { jobCallsOf } from './core/job.ts'
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
  ...providerAdminCalls,
  ...previewCalls,
  ...productCalls,
  ...productVersionCalls,
  ...differenceCalls,
  ...linkCalls,
  ...storageCalls,
  ...publishKeyCalls,
  ...activityCalls,
  ...notificationCalls,
  ...pushDeviceCalls,
  ...deviceCalls,
  ...mapleAccountCalls,
  ...jobCallsOf('auth'),
  ...jobCallsOf('cedar'),
  ...jobCallsOf('maple'),
  ...eventCallsOf('auth'),
  ...eventCallsOf('cedar'),
  ...eventCallsOf('maple'),
}
export type Calls = typeof calls

/** The calls of one service. */
export type CallKeyOf<S extends ServiceName> = {
  [K in keyof Calls]: Calls[K]['service'] extends S ? K : never
}[keyof Calls]

export {
  problemsOf,
  type Access,
  type BodyOf,
  type Call,
  type CallKey,
  type FormOf,
  type ParamsOf,
  type ProblemOf,
  type QueryOf,
  type ResponseOf,
  type ServiceName,
} from './call.ts'
export { embeddedProvider } from './dev/embedded-provider.ts'
export { problemCodes, sharedProblems, type ProblemCode } from './problem-codes.ts'
export { FieldError, Problem } from './shapes.ts'
export type { LocaleCode } from './locale.rules.ts'
export type { Account } from './auth/account-admin.ts'
export type { ExternalLoginInfo } from './auth/external.ts'
export type { AccountSession, Identity, Profile } from './auth/profile.ts'
export type { Preview } from './cedar/preview.ts'
export type { CatalogueProduct, CatalogueProductDetails } from './cedar/catalogue.ts'
export type { MapleAccount } from './maple/account.ts'
export type { Event } from './core/event.ts'
export type { Job } from './core/job.ts'
export { jobStates, type JobState } from './core/job.rules.ts'
export type { Device } from './maple/device.ts'
export type { Activity } from './cedar/activity.ts'
export type {
  Difference,
  FileChange,
  ManifestChange,
  PackagedFile,
  Permission,
} from './cedar/difference.ts'
export type { LinkedApp, ProductLink } from './cedar/link.ts'
export type { Finding, PackageReport, Repair } from './cedar/package-report.ts'
export type { ProductVersion, Release } from './cedar/product-version.ts'
export type { Audience, Notification } from './cedar/notification.ts'
export type { PushDevice } from './cedar/push-device.ts'
export type { Product } from './cedar/product.ts'
export type { NewPublishKey, PublishKey } from './cedar/publish-key.ts'
export type { Provider } from './cedar/provider.ts'
export type { AdminProvider, ProviderListItem, Transfer } from './cedar/provider-admin.ts'
