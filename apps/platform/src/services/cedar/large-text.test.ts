import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestServer } from '../../core/testing/test-platform.ts'
import { buildZip } from './package/testing/zip-builder.ts'
import { packageParts, startCatalogue, tenant } from './testing/catalogue.ts'

let server: TestServer
beforeAll(async () => {
  server = await startCatalogue()
})
afterAll(() => server.close())

test('a title whose sort key is eighteen times as long does not break the next page', async () => {
  const user = await tenant(server)
  for (let index = 0; index < 2; index++) await user.product('\ufdfa'.repeat(30))
  const list = '/api/developer/product?sort=title&limit=1'
  const first = await user.send('GET', list)
  const second = await user.send('GET', `${list}&cursor=${first.body.next}`)
  expect(second.status).toBe(200)
  expect(second.body.items[0].productId).not.toBe(first.body.items[0].productId)
})

test('a package cannot make its report large, since every list of versions reads it', async () => {
  const user = await tenant(server)
  const { productId } = await user.product()
  const { productVersionId } = await user.version(productId)
  const manifest = JSON.stringify({
    app_id: 'a',
    name: 'n',
    icons: [{ src: 'i.png' }],
    version: { code: 1, name: '1.0.0' },
    platform_version: { min_code: 1 },
    pages: [1, 2, 3].map((page) => String(page).repeat(80_000)),
  })
  const zip = buildZip([
    { name: 'manifest.json', data: manifest, method: 0 },
    { name: 'app.js', data: '' },
    { name: 'app.css', data: '' },
    { name: 'pages/a.html', data: '' },
  ])
  const sent = await user.upload(
    '/api/storage/productVersion/miniApp',
    packageParts(productVersionId, zip),
  )
  expect(sent.body.lastRefused.report.findings).toContainEqual(
    expect.objectContaining({ rule: 'manifest-file-missing' }),
  )
  const row = await server.platform.db
    .withTables<{ 'cedar.product_version': { id: string; refused_report: object } }>()
    .selectFrom('cedar.product_version')
    .select('refused_report')
    .where('id', '=', productVersionId)
    .executeTakeFirstOrThrow()
  expect(JSON.stringify(row.refused_report).length).toBeLessThan(20_000)
})
