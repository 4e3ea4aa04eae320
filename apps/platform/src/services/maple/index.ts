import { openEgress } from '../../core/egress/egress.ts'
import { openJobQueue } from '../../core/jobs/platform-jobs.ts'
import { deriveSecret, readSecret } from '../../core/secret.ts'
import { runsSessions } from '../../core/roles.ts'
import { openSandbox } from '../../core/sandbox/open-sandbox.ts'
import type { Platform } from '../../core/platform.ts'
import { defineService } from '../../core/service.ts'
import { requireNamedVaultKey } from '../../core/vault/vault-keys.ts'
import { registerVaultKeys, type AcceptedKeys } from '../../core/vault/vault-register.ts'
import { registerAccountBulk } from './access/account-bulk/account-bulk.routes.ts'
import { registerAccount } from './access/account/account.routes.ts'
import { findMandate } from './access/role/mandate.service.ts'
import { registerAppletOperation } from './card/applet/operation.routes.ts'
import { registerApplet } from './card/applet/applet.routes.ts'
import { registerApproval } from './access/approval/approval.routes.ts'
import { registerAbout } from './about/about.routes.ts'
import { apiVersion, type MapleCallContext } from './context.ts'
import { events } from './fleet/context.ts'
import { registerBinaryImage } from './connect/binary-image/binary-image.routes.ts'
import { registerCertificateAuthority } from './connect/certificate-authority/certificate-authority.routes.ts'
import { registerClaimCode } from './connect/claim-code/claim-code.routes.ts'
import {
  registerCloudHandler,
  startHandlers,
} from './program/cloud-handler/cloud-handler.routes.ts'
import { openHandlerRunner } from './program/cloud-handler/handler-runner.ts'
import { registerDeviceCommand } from './connect/device-command/device-command.routes.ts'
import { registerDeviceHandler } from './program/device-handler/device-handler.routes.ts'
import { registerDeviceSession } from './connect/device-session/device-session.routes.ts'
import { registerDeviceTwin } from './connect/device-twin/device-twin.routes.ts'
import { telemetryStore } from './connect/telemetry/telemetry-store.ts'
import { registerTelemetry } from './connect/telemetry/telemetry.routes.ts'
import { registerDeviceConnection } from './connect/device-connection/device-connection.routes.ts'
import { registerDeviceCredential } from './connect/device-credential/device-credential.routes.ts'
import { registerDevice } from './fleet/device/device.routes.ts'
import { registerRole } from './access/role/role.routes.ts'
import { registerDeviceBulk } from './fleet/device-bulk/device-bulk.routes.ts'
import { registerDeviceView } from './fleet/device-view/device-view.routes.ts'
import { registerDeviceDay } from './fleet/device-day/device-day.routes.ts'
import { registerGroup } from './fleet/group/group.routes.ts'
import { registerDeviceExport } from './fleet/device-export/device-export.routes.ts'
import { registerDeviceImport } from './fleet/device-import/device-import.routes.ts'
import { openSnapshots } from './base/export/snapshot.ts'
import { mapleJobs, type MapleJobs } from './jobs.ts'
import { registerKeys, startHsm } from './card/key/key.routes.ts'
import { registerPurposeKeys } from './card/purpose-key/purpose-key.routes.ts'
import { registerScp11 } from './card/scp11/scp11.routes.ts'
import { openKeys } from './card/key/open-keys.ts'
import { opensSealed, sealedBy } from './card/key/rewrap.ts'
import { openStages } from './access/stage/cedar-client.ts'
import { verifyStageKey } from './access/stage/stage.service.ts'
import { registerService } from './access/service/service.routes.ts'
import { registerDomain } from './card/domain/domain.routes.ts'
import { registerElementExport } from './fleet/element-export/element-export.routes.ts'
import { registerElementCard } from './card/element-card/element-card.routes.ts'
import { registerTimeline } from './card/timeline/timeline.routes.ts'
import { registerElement } from './fleet/element/element.routes.ts'
import { registerProduct } from './connect/product/product.routes.ts'
import { registerProfile } from './card/profile/profile.routes.ts'
import { registerSoftwareCard } from './card/software-card/software-card.routes.ts'
import { readerTransport } from './card/session/transport/reader.ts'
import { virtualTransport } from './card/session/transport/virtual.ts'
import { deviceTransport } from './connect/gateway/device-transport.ts'
import { openDeviceHub } from './connect/gateway/device-hub.ts'
import { openElementRelay } from './card/relay/element-relay.ts'
import { startIntakeWriter } from './connect/gateway/start-intake-writer.ts'
import { relayedDevices, relayedReaders } from './connect/gateway/relayed-elements.ts'
import { openReaderHub } from './card/reader/reader-hub.ts'
import { registerReader } from './card/reader/reader.routes.ts'
import { registerRollout } from './rollout/rollout.routes.ts'
import { openSessionHub } from './card/session/session-hub.ts'
import { registerScript } from './program/script/script.routes.ts'
import { registerSession, startSessions } from './card/session/session.routes.ts'
import { readSettings, type MapleSettings } from './base/settings.ts'
import { registerTemplate } from './program/template/template.routes.ts'
import type { MapleTables } from './base/tables.ts'

/** A process that only connects devices decrypts no keys. */
async function acceptedKeys(
  { services, config, db, database }: Platform,
  { vaultKeys: source }: MapleSettings,
): Promise<AcceptedKeys | undefined> {
  if (!services.includes('maple') || !runsSessions(config.roles)) return undefined
  requireNamedVaultKey(source, config)
  return registerVaultKeys(db, {
    source,
    sealedBy: async (tx) => [...(await sealedBy(tx.withTables<MapleTables>())).keys()],
    opens: (tx, version, key) => opensSealed(tx.withTables<MapleTables>(), version, key),
    isAlone: database.engine === 'pglite',
  })
}

// A transaction on the embedded database blocks everyone else.
const batchRows = { postgres: 5000, pglite: 500 }

export { telemetryMigrations } from './connect/telemetry/telemetry-store.ts'

/** IoT devices and the secure elements in them. */
export const maple = defineService({
  name: 'maple',
  apiVersion,
  settings: readSettings,
  migrations: new URL('./migrations/', import.meta.url),
  // Two at once: the second fails when it is stored.
  constraints: {
    device_inner_id: ['already_exists', 'Another device has this inner id.'],
    device_group_name: ['already_exists', 'Another group has this name.'],
    device_group_service_id_fkey: ['service_in_use', 'The service provider is still in use.'],
    device_view_by_name: ['already_exists', 'Another view has this name.'],
    // Deleted between the check and the change.
    account_service_id_fkey: ['service_in_use', 'The service provider is still in use.'],
    applet_file: ['already_exists', 'This file has already been uploaded.'],
    applet_version: [
      'version_taken',
      'Another upload of this version is released. Revoke it first.',
    ],
    template_service_id_fkey: ['service_in_use', 'The service provider is still in use.'],
    applet_service_id_fkey: ['service_in_use', 'The service provider is still in use.'],
    software_card_service_id_fkey: ['service_in_use', 'The service provider is still in use.'],
    device_service_id_fkey: ['service_in_use', 'The service provider is still in use.'],
    product_service_id_fkey: ['service_in_use', 'The service provider is still in use.'],
    binary_image_service_id_fkey: ['service_in_use', 'The service provider is still in use.'],
    image_key_service_id_fkey: ['service_in_use', 'The service provider is still in use.'],
    image_key_hash: ['already_exists', 'This key is already known.'],
    binary_image_file: ['already_exists', 'This file has already been uploaded.'],
    product_image_id_fkey: ['binary_image_in_use', 'The image is a default of products.'],
    device_product_id_fkey: ['product_in_use', 'Devices are of this product.'],
    certificate_authority_key: [
      'already_exists',
      'The key of this certificate is already in use by another certificate or service provider.',
    ],
    certificate_authority_service_id_fkey: [
      'service_in_use',
      'The service provider is still in use.',
    ],
    claim_code_service_id_fkey: ['service_in_use', 'The service provider is still in use.'],
    cloud_handler_service_id_fkey: ['service_in_use', 'The service provider is still in use.'],
    device_handler_service_id_fkey: ['service_in_use', 'The service provider is still in use.'],
    device_handler_by_name_once: ['already_exists', 'Another device handler has this name.'],
    product_handler_id_fkey: ['device_handler_in_use', 'Products use the device handler.'],
    device_credential_secret: ['already_exists', 'Another device has this secret.'],
    rollout_service_id_fkey: ['service_in_use', 'The service provider is still in use.'],
    reader_service_id_fkey: ['service_in_use', 'The service provider is still in use.'],
    script_by_name: ['already_exists', 'Another script has this name.'],
    script_service_id_fkey: ['service_in_use', 'The service provider is still in use.'],
    key_set_live_of_domain: ['already_exists', 'The element already has keys of this version.'],
    master_key_name: ['already_exists', 'Other master keys have this name.'],
    master_key_service_id_fkey: ['service_in_use', 'The service provider is still in use.'],
    scp11_credential_name: ['already_exists', 'Other credentials for SCP11 have this name.'],
    scp11_credential_service_id_fkey: ['service_in_use', 'The service provider is still in use.'],
    element_service_id_fkey: ['service_in_use', 'The service provider is still in use.'],
  },
  jobs: mapleJobs,
  events,
  open: async (platform, settings): Promise<MapleCallContext> => {
    const secret = await readSecret(platform.config)
    const db = platform.db.withTables<MapleTables>()
    const { engine, notices } = platform.database
    const sessions = openSessionHub(
      { db, now: platform.now },
      { isAlone: engine === 'pglite', notices, settings: { idleMs: settings.sessionIdleMs } },
    )
    const keys = openKeys(settings, await acceptedKeys(platform, settings))
    const sandbox = openSandbox()
    const devices = openDeviceHub(sessions.processId, notices)
    const readers = openReaderHub(sessions.processId)
    const sessionSecret = deriveSecret(secret, 'maple sessions')
    const relay = openElementRelay({
      db,
      notices,
      processId: sessions.processId,
      secret: sessionSecret,
      kinds: { reader: relayedReaders(readers), device: relayedDevices(devices) },
    })
    return {
      ...platform,
      db,
      keys,
      telemetry: telemetryStore(db, platform.telemetry?.db.withTables<MapleTables>()),
      readers,
      relay,
      devices,
      transports: [virtualTransport, readerTransport(relay), deviceTransport(devices, relay)],
      settings,
      jobs: openJobQueue<MapleJobs>(platform, 'maple', mapleJobs),
      importBatchRows: batchRows[engine],
      exportSecret: deriveSecret(secret, 'maple exports'),
      readSnapshot: openSnapshots(engine === 'postgres'),
      sessionSecret,
      sessions,
      sandbox,
      handlers: openHandlerRunner({
        db,
        now: platform.now,
        keys,
        sandbox,
        egress: openEgress(settings.egress),
      }),
    }
  },
  work: (app, context) => {
    const warn = (fields: object, message: string) => app.log.warn(fields, message)
    startHsm(app, context)
    startSessions(app, context)
    startHandlers(app, context)
    startIntakeWriter(app, context)
    context.relay.start(warn)
    // Notices of other processes about devices.
    context.devices.listen()
    app.addHook('preClose', async () => {
      context.devices.close()
      context.relay.close()
    })
    app.addHook('onClose', () => context.sandbox.close())
  },
  register: (app, context) => {
    const stages = openStages(app, context)
    const { realm } = context.config
    app.verifyKey = (_key, request) => verifyStageKey(context, stages, request, realm)
    app.findMandate = (...asked) => findMandate(context, stages, ...asked)
    registerAbout(app, context)
    registerDevice(app, context)
    registerDeviceCredential(app, context)
    registerDeviceConnection(app, context)
    registerDeviceCommand(app, context)
    registerDeviceTwin(app, context)
    registerTelemetry(app, context)
    registerDeviceSession(app, context)
    registerClaimCode(app, context)
    registerCertificateAuthority(app, context)
    registerCloudHandler(app, context)
    registerDeviceHandler(app, context)
    registerDeviceBulk(app, context)
    registerDeviceView(app, context)
    registerGroup(app, context)
    registerDeviceDay(app, context)
    registerDeviceImport(app, context)
    registerDeviceExport(app, context)
    registerAccount(app, context)
    registerAccountBulk(app, context)
    registerRole(app, context)
    registerService(app, context)
    registerElement(app, context)
    registerElementCard(app, context)
    registerTimeline(app, context)
    registerElementExport(app, context)
    registerProfile(app, context)
    registerProduct(app, context)
    registerBinaryImage(app, context)
    registerSoftwareCard(app, context)
    registerReader(app, context)
    registerDomain(app, context)
    registerApplet(app, context)
    registerSession(app, context)
    registerScript(app, context)
    registerApproval(app, context)
    registerKeys(app, context)
    registerPurposeKeys(app, context)
    registerScp11(app, context)
    registerAppletOperation(app, context)
    registerTemplate(app, context)
    registerRollout(app, context)
  },
})
