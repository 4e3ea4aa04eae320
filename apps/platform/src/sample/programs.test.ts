import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stageHeader } from '@grove/contract/stage.rules'
import { startTestServer, type TestServer } from '../core/testing/test-platform.ts'
import { cedar } from '../services/cedar/index.ts'
import { createProvider } from '../services/cedar/provider-admin/provider-admin.service.ts'
import { maple } from '../services/maple/index.ts'
import { sampleOrigin } from './fleet.ts'
import { addPrograms } from './programs.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer([cedar, maple])
})
afterAll(() => server.close())

test('the sample has one published program of each kind in a working stage, and a second start adds none', async () => {
  const userId = randomUUID()
  const developer = {
    id: userId,
    roles: ['DEVELOPER'],
    sessionId: undefined,
    origin: sampleOrigin,
  }
  const [apps, devices] = [await cedar.open(server.platform), await maple.open(server.platform)]
  const organisation = await createProvider(apps, developer, { name: 'Harbour Studio' })
  await addPrograms(apps, devices, developer, organisation)
  await addPrograms(apps, devices, developer, organisation)

  const bearer = await server.bearer(['DEVELOPER'], userId)
  const read = async (url: string) => {
    const headers = { ...bearer, [stageHeader]: organisation.id }
    const answer = await server.app.inject({ url, headers })
    expect(answer.statusCode, url).toBe(200)
    return answer.json().items
  }
  const published = [expect.objectContaining({ version: 1, isChanged: false })]
  expect(await read('/api/maple/scripts')).toEqual(published)
  expect(await read('/api/maple/templates')).toEqual(published)
  const handlers = await read('/api/maple/device_handlers')
  expect(handlers).toEqual(published)
  expect(await read('/api/maple/cloud_handlers')).toMatchObject([{ state: 'active' }])
  expect(await read('/api/maple/products')).toMatchObject([{ handlerId: handlers[0].id }])
  expect(await read(`/api/provider/${organisation.id}/key`)).toHaveLength(1)
})
