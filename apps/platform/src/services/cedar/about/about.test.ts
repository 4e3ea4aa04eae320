import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCatalogue, tenant, type CatalogueServer } from '../testing/catalogue.ts'

let server: CatalogueServer
beforeAll(async () => {
  server = await startCatalogue()
})
afterAll(() => server.close())

test('Cedar tells signed-in people its name and version, in an answer marked as Grove’s', async () => {
  const anna = await tenant(server)
  const answer = await anna.send('GET', '/api/cedar/about')
  expect(answer.body).toEqual({ name: 'cedar', apiVersion: '1.7' })
  const refused = await server.app.inject({ url: '/api/cedar/about' })
  expect(refused.statusCode).toBe(401)
  expect(refused.headers['platform']).toBe('grove')
})
