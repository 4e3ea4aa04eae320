import type { Device } from '@grove/contract/maple/fleet/device'
import { refuse, type Answers } from './answers.ts'

const moment = '2026-03-01T09:30:00.000000Z'

export const deviceOf = (name: string, more: Partial<Device> = {}): Device => ({
  id: name.replaceAll(' ', '-'),
  name,
  type: 'iot',
  state: 'pending',
  elements: [],
  lastSeenAt: null,
  innerId: null,
  accountId: null,
  serviceId: null,
  productId: null,
  tags: [],
  attributes: {},
  rights: { retire: null },
  revision: 1,
  createdAt: moment,
  updatedAt: moment,
  ...more,
})

/** Devices ordered by name, such as `Gate 000`. */
export const devicesOf = (count: number): Device[] =>
  Array.from({ length: count }, (_, at) => deviceOf(`Gate ${String(at).padStart(3, '0')}`))

/** The answers of the device calls for a fleet that lives as long as the test. */
export function fleetAnswers(devices: Device[]): Answers {
  const find = (id: string) => devices.find((device) => device.id === id) ?? refuse('not_found')()
  const change = (device: Device, values: Partial<Device>) =>
    Object.assign(device, values, { revision: device.revision + 1 })
  return {
    'GET /api/maple/device': ({ query: { id, q, state, type, limit = 50, count } }) => {
      const found = devices.filter(
        (device) =>
          (id === undefined || device.id === id) &&
          (q === undefined || device.name.startsWith(q) || device.id.startsWith(q)) &&
          (state === undefined || state.split(',').includes(device.state)) &&
          (type === undefined || type.split(',').includes(device.type)),
      )
      return {
        items: found.slice(0, limit),
        next: found.length > limit ? 'next' : null,
        previous: null,
        isTruncated: false,
        ...(count && { count: { value: found.length, isCapped: false } }),
      }
    },
    'GET /api/maple/device/bulk/count': ({ query: { state } }) => ({
      count: devices.filter((device) => state === undefined || device.state === state).length,
    }),
    'GET /api/maple/service': { items: [], next: null, previous: null },
    'GET /api/maple/device/view': { items: [] },
    'GET /api/maple/device/label': { items: [] },
    'PUT /api/maple/device': ({ query: { id }, body: values, revision }) => {
      const device = find(id)
      if (device.state === 'retired') return refuse('transition_refused')()
      if (revision !== undefined && revision !== device.revision) return refuse('edit_conflict')()
      return change(device, values)
    },
    'DELETE /api/maple/device': ({ query: { id } }) => {
      change(find(id), { state: 'retired', rights: { retire: 'transition_refused' } })
      return null
    },
  }
}
