import { accountAdminCalls } from './auth/account-admin.ts'
import { emailCalls } from './auth/email.ts'
import { externalCalls } from './auth/external.ts'
import { profileCalls } from './auth/profile.ts'
import { sessionCalls } from './auth/session.ts'
import { activityCalls } from './cedar/activity.ts'
import { failureCalls } from './cedar/failure.ts'
import { apiKeyCalls } from './cedar/api-key.ts'
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
import { stageCalls } from './cedar/stage.ts'
import { storageCalls } from './cedar/storage.ts'
import { userInfoCalls } from './cedar/user-info.ts'
import type { ServiceName } from './call.ts'
import { approvalCalls } from './maple/approval.ts'
import { keyCalls } from './maple/key.ts'
import { mapleAboutCalls } from './maple/about.ts'
import { appletOperationCalls } from './maple/applet-operation.ts'
import { appletCalls } from './maple/applet.ts'
import { accountBulkCalls } from './maple/account-bulk.ts'
import { mapleAccountCalls } from './maple/account.ts'
import { eventCallsOf } from './core/event.ts'
import { jobCallsOf } from './core/job.ts'
import { certificateAuthorityCalls } from './maple/certificate-authority.ts'
import { cloudHandlerCalls } from './maple/cloud-handler.ts'
import { deviceHandlerCalls } from './maple/device-handler.ts'
import { deviceBulkCalls } from './maple/device-bulk.ts'
import { deviceViewCalls } from './maple/device-view.ts'
import { deviceExportCalls } from './maple/device-export.ts'
import { elementExportCalls } from './maple/element-export.ts'
import { deviceImportCalls } from './maple/device-import.ts'
import { deviceCalls } from './maple/device.ts'
import { deviceCommandCalls } from './maple/device-command.ts'
import { deviceConnectionCalls } from './maple/device-connection.ts'
import { deviceSessionCalls } from './maple/device-session.ts'
import { deviceTwinCalls } from './maple/device-twin.ts'
import { telemetryCalls } from './maple/telemetry.ts'
import { mapleServiceCalls } from './maple/service.ts'
import { scriptCalls } from './maple/script.ts'
import { softwareCardCalls } from './maple/software-card.ts'
import { domainCalls } from './maple/domain.ts'
import { cardOperationCalls } from './maple/card-operation.ts'
import { elementCardCalls } from './maple/element-card.ts'
import { elementCalls } from './maple/element.ts'
import { elementProfileCalls } from './maple/profile.ts'
import { sessionCalls as elementSessionCalls } from './maple/session.ts'
import { readerCalls } from './maple/reader.ts'
import { templateCalls } from './maple/template.ts'
import { binaryImageCalls } from './maple/binary-image.ts'
import { mapleProductCalls } from './maple/product.ts'
import { rolloutCalls } from './maple/rollout.ts'

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
  ...stageCalls,
  ...apiKeyCalls,
  ...previewCalls,
  ...productCalls,
  ...productVersionCalls,
  ...differenceCalls,
  ...linkCalls,
  ...storageCalls,
  ...publishKeyCalls,
  ...activityCalls,
  ...failureCalls,
  ...notificationCalls,
  ...pushDeviceCalls,
  ...mapleAboutCalls,
  ...deviceCalls,
  ...deviceConnectionCalls,
  ...certificateAuthorityCalls,
  ...cloudHandlerCalls,
  ...deviceHandlerCalls,
  ...deviceCommandCalls,
  ...deviceTwinCalls,
  ...telemetryCalls,
  ...deviceSessionCalls,
  ...deviceBulkCalls,
  ...deviceViewCalls,
  ...elementCalls,
  ...elementCardCalls,
  ...cardOperationCalls,
  ...elementProfileCalls,
  ...scriptCalls,
  ...softwareCardCalls,
  ...appletCalls,
  ...appletOperationCalls,
  ...domainCalls,
  ...elementSessionCalls,
  ...approvalCalls,
  ...keyCalls,
  ...deviceImportCalls,
  ...deviceExportCalls,
  ...elementExportCalls,
  ...mapleAccountCalls,
  ...accountBulkCalls,
  ...mapleServiceCalls,
  ...readerCalls,
  ...templateCalls,
  ...mapleProductCalls,
  ...binaryImageCalls,
  ...rolloutCalls,
  ...jobCallsOf('auth'),
  ...jobCallsOf('cedar'),
  ...jobCallsOf('maple', {
    read: { right: 'job.read', isScoped: true },
    change: { right: 'job.change', isScoped: true },
  }),
  ...eventCallsOf('auth'),
  ...eventCallsOf('cedar'),
  ...eventCallsOf('maple', { right: 'event.read', isScoped: true }),
}
export type Calls = typeof calls

/** The calls of one service. */
export type CallKeyOf<S extends ServiceName> = {
  [K in keyof Calls]: Calls[K]['service'] extends S ? K : never
}[keyof Calls]

export {
  keyKindOf,
  problemsOf,
  type Access,
  type BodyOf,
  type Call,
  type CallKey,
  type FormOf,
  type KeyKind,
  type ParamsOf,
  type ProblemOf,
  type QueryOf,
  type ResponseOf,
  type RightAccess,
  type ServiceName,
} from './call.ts'
export { embeddedProvider } from './dev/embedded-provider.ts'
export { problemCodes, sharedProblems, type ProblemCode } from './problem-codes.ts'
export { FieldError, Problem } from './shapes.ts'
export type { LocaleCode } from './locale.rules.ts'
export type { Account } from './auth/account-admin.ts'
export type { ExternalLoginInfo } from './auth/external.ts'
export type { AccountSession, Identity, Profile } from './auth/profile.ts'
export type { ApiKey, NewApiKey } from './cedar/api-key.ts'
export type { Preview } from './cedar/preview.ts'
export type { CatalogueProduct, CatalogueProductDetails } from './cedar/catalogue.ts'
export type { MapleAbout } from './maple/about.ts'
export type { MapleAccount, MapleAccountRights, MapleRole } from './maple/account.ts'
export type { AccountBulk } from './maple/account-bulk.ts'
export type { MapleService } from './maple/service.ts'
export type { Event } from './core/event.ts'
export type { Job } from './core/job.ts'
export { jobStates, type JobState } from './core/job.rules.ts'
export type {
  ColumnMapping,
  DeviceImport,
  ImportCounts,
  ImportPreview,
  ImportRowError,
} from './maple/device-import.ts'
export type { Applet, InstalledApplet } from './maple/applet.ts'
export type {
  AppletFinding,
  AppletInstance,
  AppletOperation,
  AppletPreflight,
  AppletTarget,
} from './maple/applet-operation.ts'
export type {
  CloudHandler,
  HandlerLogLine,
  HandlerProgram,
  HandlerRun,
  HandlerTrigger,
  HandlerVersion,
  OpenCloudHandler,
  OpenHandlerRun,
} from './maple/cloud-handler.ts'
export type {
  CertificateAuthority,
  CertificateOfDevice,
  DeviceCertificate,
} from './maple/certificate-authority.ts'
export type { ProgramSecret } from './maple/program-secret.ts'
export type { Device } from './maple/device.ts'
export type {
  ClaimCode,
  DeviceConnection,
  DeviceCredential,
  DeviceMessage,
} from './maple/device-connection.ts'
export type { DeviceCommand } from './maple/device-command.ts'
export type {
  Decoding,
  DeviceHandler,
  DeviceHandlerFailure,
  DeviceHandlerInput,
  DeviceHandlerItem,
  DeviceHandlerResult,
  DeviceHandlerTest,
  DeviceHandlerVersion,
  DeviceHandlerVersionItem,
} from './maple/device-handler.ts'
export type { DeviceSession } from './maple/device-session.ts'
export type { DeviceTwin } from './maple/device-twin.ts'
export type { TelemetryColumn, TelemetryKey } from './maple/telemetry.ts'
export type { DeviceBulk } from './maple/device-bulk.ts'
export type { DeviceView } from './maple/device-view.ts'
export type { Approval } from './maple/approval.ts'
export type { KeyMismatch, KeySet, MasterKey, Rotation } from './maple/key.ts'
export type { Element as SecureElement } from './maple/element.ts'
export type { CardOperation, CardStep, RunCardStep } from './maple/card-operation.ts'
export type { CardReading, StoredCardReading } from './maple/element-card.ts'
export type { DomainPlan, DomainRefusal, SecurityDomain } from './maple/domain.ts'
export type { SecureElementProfile } from './maple/profile.ts'
export type {
  RunQuestion,
  Script,
  ScriptItem,
  ScriptProblem,
  ScriptRun,
  ScriptRunCause,
  ScriptRunItem,
  ScriptVersion,
  ScriptVersionItem,
} from './maple/script.ts'
export type { CardFaults, CardSnapshot, SoftwareCard } from './maple/software-card.ts'
export type { ElementSession, Exchange, RanCommand } from './maple/session.ts'
export type { NewReader, Reader } from './maple/reader.ts'
export type {
  Template,
  TemplateCause,
  TemplateDryRun,
  TemplateItem,
  TemplateRun,
  TemplateTarget,
  TemplateVersion,
} from './maple/template.ts'
export type { BinaryImage, ImageKey } from './maple/binary-image.ts'
export type { MapleProduct } from './maple/product.ts'
export type {
  Rollout,
  RolloutCause,
  RolloutExecution,
  RolloutGroup,
  RolloutPlan,
  RolloutPolicy,
  RolloutTargets,
} from './maple/rollout.ts'
export type { Activity } from './cedar/activity.ts'
export type {
  Difference,
  FileChange,
  ManifestChange,
  PackagedFile,
  Permission,
} from './cedar/difference.ts'
export type { Failure } from './cedar/failure.ts'
export type { LinkedApp, ProductLink } from './cedar/link.ts'
export type { Finding, PackageReport, Repair } from './cedar/package-report.ts'
export type { ProductVersion, Release } from './cedar/product-version.ts'
export type { Audience, Notification } from './cedar/notification.ts'
export type { PushDevice } from './cedar/push-device.ts'
export type { Product } from './cedar/product.ts'
export type { NewPublishKey, PublishKey } from './cedar/publish-key.ts'
export type { Provider } from './cedar/provider.ts'
export type { AdminProvider, ProviderListItem, Transfer } from './cedar/provider-admin.ts'
