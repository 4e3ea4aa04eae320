import type { Device } from '@grove/contract/maple/fleet/device'
import { buildCplc } from './fleet-cplc.ts'
import { sampleServices } from './fleet-owners.ts'
import type { ImportedDevice } from '../services/maple/fleet/device/device-import.service.ts'

const english = {
  kinds: [
    'Turnstile',
    'Door Lock',
    'Ticket Validator',
    'Payment Terminal',
    'Parking Gate',
    'Access Panel',
    'Charging Point',
    'Parcel Locker',
    'Vending Machine',
    'Water Meter',
  ],
  places: [
    'North Hall',
    'South Hall',
    'Harbour Station',
    'Platform 2',
    'Airport Terminal A',
    'Central Depot',
    'Old Town Square',
    'West Car Park',
    'University Library',
    'River Pier 4',
  ],
}
const russian = {
  kinds: [
    'Турникет',
    'Дверной замок',
    'Валидатор',
    'Платёжный терминал',
    'Шлагбаум',
    'Панель доступа',
    'Зарядная станция',
    'Почтомат',
    'Торговый автомат',
    'Счётчик воды',
  ],
  places: [
    'Северный вестибюль',
    'Южный вестибюль',
    'Морской вокзал',
    'Платформа 2',
    'Терминал А',
    'Центральное депо',
    'Ратушная площадь',
    'Западная стоянка',
    'Библиотека университета',
    'Причал № 4',
  ],
}

const types = weighted({ iot: 72, virtual: 12, boot: 6, default: 10 })
const states = weighted({
  online: 46,
  offline: 22,
  accepted: 12,
  pending: 9,
  retired: 8,
  quarantined: 3,
})

const chips = weighted({
  unknown: 8,
  opReady: 4,
  initialized: 10,
  secured: 72,
  cardLocked: 4,
  terminated: 1,
  blocked: 1,
})
const floors = 12
const places = ['north', 'south', 'harbour', 'airport', 'depot', 'west'] as const
const kinds = ['pilot', 'outdoor', 'leased', 'spare'] as const
const models = ['T-100', 'T-200', 'G-1', 'G-2 long range'] as const

const dayMs = 86_400_000
const firstDay = Date.UTC(2022, 10, 10)
/** A thousand devices a day. */
const intervalMs = 86_400
const fleetDays = 1000
const lotSize = 2_000

/** The id contains the index in the fleet, so that a range of ids is a range of indexes. */
export const sampleDeviceId = (index: number) => `SN-${String(index + 1).padStart(7, '0')}`
/** The number of ids. */
export const maxSampleDevices = 9_999_999

/**
 * The device at a place of the sample fleet, the newest first: always the same, but for when it was
 * registered and last seen, which is before `now`. `devicesADay` spreads a small fleet over weeks.
 */
export function sampleDevice(index: number, now: number, devicesADay = 1000): ImportedDevice {
  const at = (purpose: number, below: number) => scramble(index, purpose) % below
  const words = at(1, 6) === 0 ? russian : english
  const name = `${pick(words.kinds, at(2, 10))} ${String(at(3, 9999) + 1).padStart(4, '0')}, ${pick(words.places, at(4, 10))}`
  const type = pick(types, at(5, 100))
  const state = pick(states, at(6, 100))
  const lot = Math.floor(index / lotSize)
  const created = createdAt(index, now, devicesADay, at(7, 1000) / 1000)
  const lastSeen = lastSeenAt(state, created, now, at(9, 1000) / 1000)
  const fabricated = firstDay + ((fleetDays * 1000 - 1 - lot * lotSize) % 1_000_000) * intervalMs
  return {
    id: sampleDeviceId(index),
    name,
    type,
    state,
    createdAt: new Date(created).toISOString(),
    lastSeenAt: lastSeen === null ? null : new Date(Math.max(created, lastSeen)).toISOString(),
    cplc: Array.from({ length: elementCounts[type] }, (_, element) =>
      buildCplc({
        serial: index * 4 + element,
        fabricated: new Date(fabricated),
        batch: lot,
        equipment: at(13, 900) * 16,
      }),
    ),
    chip: { state: pick(chips, at(14, 100)), hasHsm: at(15, 10) === 0 },
    ...labelsOf(at),
    // One in twenty is a wearable, with an inner id.
    ...(at(16, 20) === 0 && { innerId: `W-${String(index + 1).padStart(7, '0')}` }),
    ...(at(17, 4) > 0 && { serviceId: pick(sampleServices, at(18, sampleServices.length)).id }),
  }
}

/** A boot loader has no element, a virtual device three: two a device on average. */
const elementCounts: Record<Device['type'], number> = { boot: 0, iot: 2, default: 2, virtual: 3 }

/** Most have a location, some a model and a floor, and few a tag. */
function labelsOf(at: (purpose: number, below: number) => number) {
  const tags = [
    ...(at(19, 3) > 0 ? [pick(places, at(20, places.length))] : []),
    ...(at(21, 8) === 0 ? [pick(kinds, at(22, kinds.length))] : []),
  ]
  const attributes: Device['attributes'] = {
    ...(at(23, 3) === 0 && { model: { type: 'text', value: pick(models, at(24, models.length)) } }),
    ...(at(25, 5) === 0 && { floor: { type: 'number', value: at(26, floors) } }),
  }
  return { tags, attributes }
}

/** Evenly back in time; what would fall on a weekend is mostly of the Friday before. */
function createdAt(index: number, now: number, devicesADay: number, part: number): number {
  const even = now - ((index + part) * dayMs) / devicesADay
  const weekday = new Date(even).getUTCDay()
  const daysToFriday = weekday === 6 ? 1 : weekday === 0 ? 2 : 0
  return part < 0.8 ? even - daysToFriday * dayMs : even
}

function lastSeenAt(state: Device['state'], created: number, now: number, part: number) {
  switch (state) {
    case 'pending':
    case 'accepted':
      return null
    case 'online':
      return now - Math.round(part * 300_000)
    case 'offline':
      return now - Math.round(600_000 + part ** 3 * 90 * dayMs)
    case 'quarantined':
      return now - Math.round(dayMs + part * 30 * dayMs)
    case 'retired':
      return Math.round(created + part * Math.max(0, now - 90 * dayMs - created))
  }
}

/** A list in which each value occurs as often as its weight. */
function weighted<T extends string>(weights: Record<T, number>): readonly T[] {
  return (Object.entries(weights) as [T, number][]).flatMap(([value, count]) =>
    Array<T>(count).fill(value),
  )
}

function pick<T>(list: readonly T[], at: number): T {
  const found = list[at]
  if (found === undefined) throw new RangeError(`${at} is outside a list of ${list.length}`)
  return found
}

/** 32 pseudo-random bits from an index and a purpose: the final mix of MurmurHash3. */
function scramble(index: number, purpose: number): number {
  let bits = Math.imul(index + 1, 0x9e3779b1) ^ Math.imul(purpose, 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}
