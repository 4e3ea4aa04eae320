import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DeviceView } from '@grove/contract/maple/fleet/device-view'
import { maxViews } from '@grove/contract/maple/fleet/device-view.rules'
import { resourceClient } from '../../../../core/testing/resource-client.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer([maple])
})
afterAll(() => server.close())

const person = async () =>
  resourceClient<DeviceView>(server, '/api/maple/device/view', await server.bearer(['ADMIN']))
type Person = Awaited<ReturnType<typeof person>>

const namesOf = async (views: Person) =>
  (await views.send('GET', {})).json<{ items: DeviceView[] }>().items.map(({ name }) => name)

test('a view is saved, renamed, changed and deleted, each with an event', async () => {
  const views = await person()
  const search = 'type=iot&tag=north&sort=createdAt'
  const view = await views.create({ name: ' North  gates ', search })
  expect(view).toMatchObject({ name: 'North gates', search, revision: 1 })
  await views.create({ name: 'All', search: '' })
  expect(await namesOf(views)).toEqual(['All', 'North gates'])
  const put = (body: object, revision: number) =>
    views.send('PUT', { id: view.id }, body, { 'if-match': `"${revision}"` })
  expect((await put({ name: 'Gates' }, 1)).json()).toMatchObject({ name: 'Gates', search })
  expect((await put({ name: 'Late' }, 1)).json()).toMatchObject({ code: 'edit_conflict' })
  expect((await put({ search: 'type=boot' }, 2)).json()).toMatchObject({ search: 'type=boot' })
  expect((await views.send('DELETE', { id: view.id })).statusCode).toBe(204)
  expect(await namesOf(views)).toEqual(['All'])
  const events = await views.eventsOf(view.id)
  expect(events.map(({ action }) => action)).toEqual([
    'device_view.create',
    'device_view.update',
    'device_view.update',
    'device_view.delete',
  ])
})

test('a person can use a name once, in any case', async () => {
  const [views, others] = [await person(), await person()]
  const view = await views.create({ name: 'Gates', search: '' })
  const second = await views.create({ name: 'Doors', search: '' })
  const taken = [409, 'already_exists', 'name']
  expect(await views.refusal('POST', {}, { name: 'GATES', search: '' })).toEqual(taken)
  expect(await views.refusal('PUT', { id: second.id }, { name: 'gates' })).toEqual(taken)
  expect((await views.send('PUT', { id: view.id }, { name: 'GATES' })).statusCode).toBe(200)
  expect((await others.create({ name: 'Gates', search: '' })).name).toBe('Gates')
})

test('another person’s view does not exist', async () => {
  const [views, others] = [await person(), await person()]
  const { id } = await views.create({ name: 'Mine', search: '' })
  expect(await namesOf(others)).toEqual([])
  expect((await others.send('PUT', { id }, { name: 'Theirs' })).statusCode).toBe(404)
  expect((await others.send('DELETE', { id })).statusCode).toBe(404)
  expect(await namesOf(views)).toEqual(['Mine'])
})

test('a person has a limited number of views', async () => {
  const views = await person()
  for (let at = 0; at < maxViews; at++) await views.create({ name: `View ${at}`, search: '' })
  const [status, code] = await views.refusal('POST', {}, { name: 'One more', search: '' })
  expect([status, code]).toEqual([409, 'limit_reached'])
})
