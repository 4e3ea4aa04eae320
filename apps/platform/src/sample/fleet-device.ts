import type { Device } from '@grove/contract'
import { buildCplc } from './fleet-cplc.ts'
import type { ImportedDevice } from '../services/maple/device/device-import.service.ts'

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

const dayMs = 86_400_000
const firstDay = Date.UTC(2023, 0, 9)
/** One device is made every 86.4 s of a thousand days, so rows and index entries come in order. */
const intervalMs = 86_400
const lotSize = 2_000

/** The id holds the place in the fleet, so that a range of ids is a range of places. */
export const sampleDeviceId = (index: number) => `SN-${String(index + 1).padStart(7, '0')}`
/** As many as there are ids. */
export const mostSampleDevices = 9_999_999

/**
 * The device at a place of the sample fleet: always the same, but for when it was last seen, which
 * is told from `now`, since a device that is online was seen a moment ago.
 */
export function sampleDevice(index: number, now: number): ImportedDevice {
  const at = (purpose: number, below: number) => scramble(index, purpose) % below
  const words = at(1, 6) === 0 ? russian : english
  const name = `${pick(words.kinds, at(2, 10))} ${String(at(3, 9999) + 1).padStart(4, '0')}, ${pick(words.places, at(4, 10))}`
  const type = pick(types, at(5, 100))
  const state = pick(states, at(6, 100))
  const made = (place: number) => firstDay + (place % 1_000_000) * intervalMs
  const created = made(index) + at(7, intervalMs)
  const lot = Math.floor(index / lotSize)
  const lastSeen = lastSeenAt(state, created, now, at(9, 1000) / 1000)
  return {
    id: sampleDeviceId(index),
    name,
    type,
    state,
    createdAt: new Date(created).toISOString(),
    lastSeenAt: lastSeen === null ? null : new Date(lastSeen).toISOString(),
    cplc: Array.from({ length: elementCount(type, at(10, 20)) }, (_, element) =>
      buildCplc({
        serial: index * 2 + element,
        fabricated: new Date(made(lot * lotSize) - 60 * dayMs),
        batch: lot,
        equipment: at(13, 900) * 16,
      }),
    ),
  }
}

/** A boot loader has no element; one device in twenty has two. */
function elementCount(type: Device['type'], chance: number): number {
  if (type === 'boot') return 0
  return chance === 0 ? 2 : 1
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

/** A list in which each value stands as often as its weight says. */
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

/** 32 bits that look random, from a place and a purpose: the final mix of MurmurHash3. */
function scramble(index: number, purpose: number): number {
  let bits = Math.imul(index + 1, 0x9e3779b1) ^ Math.imul(purpose, 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}
