import { accountAdminCalls } from './auth/account-admin.ts'
import { emailCalls } from './auth/email.ts'
import { externalCalls } from './auth/external.ts'
import { invitationCalls } from './auth/invitation.ts'
import { profileCalls } from './auth/profile.ts'
import { sessionCalls } from './auth/session.ts'
import { cedarAboutCalls } from './cedar/about.ts'
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
import { providerRequestCalls } from './cedar/provider-request.ts'
import { publishKeyCalls } from './cedar/publish-key.ts'
import { pushDeviceCalls } from './cedar/push-device.ts'
import { stageCalls } from './cedar/stage.ts'
import { storageCalls } from './cedar/storage.ts'
import { userCalls } from './cedar/user.ts'
import { userInfoCalls } from './core/user-info.ts'
import type { ServiceName } from './call.ts'
import { approvalCalls } from './maple/access/approval.ts'
import { keyCalls } from './maple/card/key.ts'
import { purposeKeyCalls } from './maple/card/purpose-key.ts'
import { scp11Calls } from './maple/card/scp11.ts'
import { mapleAboutCalls } from './maple/about.ts'
import { appletOperationCalls } from './maple/card/applet-operation.ts'
import { appletCalls } from './maple/card/applet.ts'
import { accountBulkCalls } from './maple/access/account-bulk.ts'
import { mapleAccountCalls } from './maple/access/account.ts'
import { eventCalls } from './core/event-calls.ts'
import { jobCalls } from './core/job-calls.ts'
import { certificateAuthorityCalls } from './maple/connect/certificate-authority.ts'
import { cloudHandlerCalls } from './maple/program/cloud-handler.ts'
import { deviceHandlerCalls } from './maple/program/device-handler.ts'
import { deviceBulkCalls } from './maple/fleet/device-bulk.ts'
import { deviceViewCalls } from './maple/fleet/device-view.ts'
import { deviceDayCalls } from './maple/fleet/device-day.ts'
import { groupCalls } from './maple/fleet/group.ts'
import { deviceExportCalls } from './maple/fleet/device-export.ts'
import { elementExportCalls } from './maple/fleet/element-export.ts'
import { deviceImportCalls } from './maple/fleet/device-import.ts'
import { deviceCalls } from './maple/fleet/device.ts'
import { deviceCommandCalls } from './maple/connect/device-command.ts'
import { deviceConnectionCalls } from './maple/connect/device-connection.ts'
import { deviceSessionCalls } from './maple/connect/device-session.ts'
import { deviceTwinCalls } from './maple/connect/device-twin.ts'
import { telemetryCalls } from './maple/connect/telemetry.ts'
import { mapleServiceCalls } from './maple/access/service.ts'
import { scriptCalls } from './maple/program/script.ts'
import { softwareCardCalls } from './maple/card/software-card.ts'
import { domainCalls } from './maple/card/domain.ts'
import { cardOperationCalls } from './maple/card/card-operation.ts'
import { elementCardCalls } from './maple/card/element-card.ts'
import { timelineCalls } from './maple/card/timeline.ts'
import { elementCalls } from './maple/fleet/element.ts'
import { elementProfileCalls } from './maple/card/profile.ts'
import { sessionCalls as elementSessionCalls } from './maple/card/session.ts'
import { readerCalls } from './maple/card/reader.ts'
import { templateCalls } from './maple/program/template.ts'
import { binaryImageCalls } from './maple/connect/binary-image.ts'
import { mapleProductCalls } from './maple/connect/product.ts'
import { rolloutCalls } from './maple/rollout/rollout.ts'

/** Every call of the platform, keyed by method and path. */
export const calls = {
  ...sessionCalls,
  ...externalCalls,
  ...invitationCalls,
  ...emailCalls,
  ...profileCalls,
  ...accountAdminCalls,
  ...userInfoCalls,
  ...cedarAboutCalls,
  ...catalogueCalls,
  ...providerCalls,
  ...providerRequestCalls,
  ...providerAdminCalls,
  ...userCalls,
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
  ...groupCalls,
  ...deviceDayCalls,
  ...elementCalls,
  ...elementCardCalls,
  ...timelineCalls,
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
  ...purposeKeyCalls,
  ...scp11Calls,
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
  ...jobCalls,
  ...eventCalls,
}
export type Calls = typeof calls

/** The calls of one service. */
export type CallKeyOf<S extends ServiceName> = {
  [K in keyof Calls]: Calls[K]['service'] extends S ? K : never
}[keyof Calls]
