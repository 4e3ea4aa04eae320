import { expect, test } from 'vitest'
import { defineList } from './list-definition.ts'
import { changePreferences } from './list-preferences.ts'

const devices = defineList({
  name: 'test.device',
  sorting: { by: ['name', 'id'], default: 'name', order: 'asc' },
  filters: { type: ['iot', 'boot'], state: ['online', 'offline'] },
  columns: ['id', 'type'],
  pageSizes: [25, 50],
  hasCount: true,
})

test('a URL without parameters requests the first page', () => {
  expect(devices.page(devices.read({}))).toEqual({ sort: 'name', limit: 50, count: true })
})

test('filters, order and page of a URL become the request', () => {
  const search = devices.read({ state: 'offline,online', q: ' gate ', order: 'desc', limit: '25' })
  expect(devices.page(search)).toEqual({
    state: 'online,offline',
    q: 'gate',
    sort: 'name',
    order: 'desc',
    limit: 25,
    count: true,
  })
  expect(devices.isFiltered(search)).toBe(true)
})

test('an unknown value stays in the URL, is reported, and does not filter', () => {
  const search = devices.read({ state: 'foo,online', type: 'bar' })
  expect(search).toMatchObject({ state: ['foo', 'online'], type: ['bar'] })
  expect(devices.unknownOf(search, 'state')).toEqual(['foo'])
  expect(devices.knownOf(search, 'state')).toEqual(['online'])
  expect(devices.page(search)).toEqual({ state: 'online', sort: 'name', limit: 50, count: true })
})

test('the page size is remembered, and a link’s own takes precedence', () => {
  changePreferences('test.device', { limit: 25 })
  expect(devices.page(devices.read({})).limit).toBe(25)
  expect(devices.page(devices.read({ limit: 50 })).limit).toBe(50)
  changePreferences('test.device', { limit: 7 })
  expect(devices.page(devices.read({})).limit).toBe(50)
})

test('a filter with its own test takes the values that pass it', () => {
  const apps = defineList({
    name: 'test.app',
    filters: { provider: (id: string) => id.startsWith('p') },
    columns: [],
  })
  const search = apps.read({ provider: 'p2,p1,x' })
  expect(apps.page(search)).toEqual({ provider: 'p2,p1', limit: 50 })
  expect(apps.unknownOf(search, 'provider')).toEqual(['x'])
})
