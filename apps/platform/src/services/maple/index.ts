import { defineService, noSettings } from '../../core/service.ts'
import { registerAccount } from './account/account.routes.ts'
import { events } from './context.ts'
import { registerDevice } from './device/device.routes.ts'
import type { MapleTables } from './tables.ts'

/** IoT devices and the secure elements in them. */
export const maple = defineService({
  name: 'maple',
  apiVersion: '3',
  settings: noSettings,
  migrations: new URL('./migrations/', import.meta.url),
  // Two at once: the second finds out when it is stored.
  constraints: { device_inner_id: ['already_exists', 'Another device has this inner id.'] },
  jobs: {},
  events,
  open: (platform, settings) => ({
    ...platform,
    db: platform.db.withTables<MapleTables>(),
    settings,
  }),
  register: (app, context) => {
    registerDevice(app, context)
    registerAccount(app, context)
  },
})
