import type { Service } from '../../core/platform.ts'
import { registerDevice } from './device/device.routes.ts'

export const maple: Service = {
  name: 'maple',
  migrations: new URL('./migrations/', import.meta.url),
  register: registerDevice,
}
